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
