import Digest
import FoundationEssentials

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
