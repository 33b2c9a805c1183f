import Digest
import FoundationEssentials

/// Why a connection is closed by this side (RFC 6455, section 7.4).
struct WebSocketFailure: Error, Equatable {
    enum Code: UInt16 {
        case goingAway = 1001
        case protocolError = 1002
        case unsupported = 1003
        case notUTF8 = 1007
        case policy = 1008
        case tooBig = 1009
    }

    var code: Code
    /// ASCII, at most 123 bytes.
    var reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func protocolError(_ reason: String) -> Self { Self(.protocolError, reason) }
}

/// Frames of the server, which are whole and not masked.
enum WebSocketFrame {
    static func text(_ payload: Data) -> Data { frame(1, payload) }
    static func ping() -> Data { frame(9, Data()) }
    static func pong(_ payload: Data) -> Data { frame(10, payload) }

    static func close(_ failure: WebSocketFailure) -> Data {
        close(failure.code.rawValue, failure.reason)
    }

    /// - Parameter code: nil to answer a close frame without one.
    static func close(_ code: UInt16?, _ reason: String = "") -> Data {
        guard let code else { return frame(8, Data()) }
        return frame(8, Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + Data(reason.utf8.prefix(123)))
    }

    private static func frame(_ opcode: UInt8, _ payload: Data) -> Data {
        var bytes = Data([0x80 | opcode])
        switch payload.count {
        case ...125: bytes.append(UInt8(payload.count))
        case ...65_535: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        bytes.append(payload)
        return bytes
    }
}

/// The opening handshake (RFC 6455, section 4.2).
enum WebSocketHandshake {
    private static let name = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The headers that accept it.
    ///
    /// - Throws: what a client is told that does not open a socket for JMAP.
    static func accept(
        _ request: HTTPRequest
    ) throws(Gatekeeper.Refusal) -> [(name: String, value: String)] {
        guard tokens("upgrade", request).contains("websocket"),
            tokens("connection", request).contains("upgrade")
        else { throw refusal(426, "This URL is for WebSocket (RFC 8887).", ("Upgrade", "websocket")) }
        guard request.headerCount("sec-websocket-version") == 1,
            request.header("sec-websocket-version")?.trimmed == "13"
        else { throw refusal(426, "The WebSocket version must be 13.", ("Sec-WebSocket-Version", "13")) }
        guard request.headerCount("sec-websocket-key") == 1,
            let key = request.header("sec-websocket-key")?.trimmed, Data(base64Encoded: key)?.count == 16
        else { throw Gatekeeper.Refusal(400, "Sec-WebSocket-Key is missing or invalid.") }
        guard tokens("sec-websocket-protocol", request).contains("jmap") else {
            throw Gatekeeper.Refusal(400, "Sec-WebSocket-Protocol must contain “jmap”.")
        }
        guard let digest = NamedDigest.of(Data((key + name).utf8), "sha") else {
            throw Gatekeeper.Refusal(501, "This system cannot accept WebSockets.")
        }
        return [
            ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", digest.base64EncodedString()),
            ("Sec-WebSocket-Protocol", "jmap"),
        ]
    }

    private static func refusal(
        _ status: Int, _ detail: String, _ header: (String, String)
    ) -> Gatekeeper.Refusal {
        var refusal = Gatekeeper.Refusal(status, detail)
        refusal.response = refusal.response.with(header.0, header.1)
        return refusal
    }

    private static func tokens(_ header: String, _ request: HTTPRequest) -> Set<String> {
        let values = request.headers.filter { $0.name == header }.flatMap { $0.value.split(separator: ",") }
        return Set(values.map { $0.trimmed.asciiLowercased })
    }
}
