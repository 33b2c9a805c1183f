import FoundationEssentials

/// Reads the frames of a WebSocket client (RFC 6455, section 5): fed with bytes, answers with what they mean.
///
/// It holds at most one message and one control frame, and refuses a frame by its head, before its content is taken in.
struct WebSocketReader {
    enum Event: Equatable {
        /// A whole text message, valid UTF-8.
        case message(Data)
        case ping(Data)
        case pong
        /// The client ends the connection, with this code or none.
        case close(UInt16?)
    }

    private enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// A frame whose head has been read.
    private struct Frame {
        var opcode: Opcode
        var isLast: Bool
        var left: Int
        var mask: [UInt8]
        var maskIndex = 0
    }

    private let limit: Int
    private var head: [UInt8] = []
    private var frame: Frame?
    private var message: [UInt8] = []
    private var isInMessage = false
    private var control: [UInt8] = []

    /// - Parameter limit: the most bytes of one message.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether bytes of a frame or message are missing.
    var isIncomplete: Bool { !head.isEmpty || frame != nil || isInMessage }

    /// - Throws: what the connection has to be closed with. Nothing can be read afterwards.
    mutating func read(_ bytes: Data) throws(WebSocketFailure) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty || frame?.left == 0 {
            if frame == nil {
                try readHead(&rest)
            } else if let event = try readContent(&rest) {
                events.append(event)
                // What follows a close frame is not looked at (RFC 6455, section 5.5.1).
                if case .close = event { return events }
            }
        }
        return events
    }

    private mutating func readHead(_ rest: inout Data) throws(WebSocketFailure) {
        while let byte = rest.popFirst() {
            head.append(byte)
            if head.count == 2 { try checkStart() }
            guard head.count >= 2, head.count == headSize else { continue }
            frame = try wholeHead()
            head = []
            return
        }
    }

    private var lengthSize: Int {
        switch head[1] & 0x7F {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    private var headSize: Int { 2 + lengthSize + 4 }

    private func checkStart() throws(WebSocketFailure) {
        guard head[0] & 0x70 == 0 else { throw .protocolError("A reserved bit is set.") }
        guard let opcode = Opcode(rawValue: head[0] & 0x0F) else { throw .protocolError("Unknown opcode.") }
        guard head[1] & 0x80 != 0 else { throw .protocolError("A frame is not masked.") }
        if opcode.isControl {
            guard head[0] & 0x80 != 0 else { throw .protocolError("A control frame is fragmented.") }
            guard head[1] & 0x7F <= 125 else { throw .protocolError("A control frame is too long.") }
            return
        }
        guard opcode != .binary else { throw WebSocketFailure(.unsupported, "Use text messages.") }
        guard (opcode == .continuation) == isInMessage else {
            throw .protocolError(
                "A message is continued that was not begun, or begun before the last one ended.")
        }
    }

    private func wholeHead() throws(WebSocketFailure) -> Frame {
        guard let opcode = Opcode(rawValue: head[0] & 0x0F) else { throw .protocolError("Unknown opcode.") }
        let short = UInt64(head[1] & 0x7F)
        let length =
            lengthSize == 0 ? short : head[2..<(2 + lengthSize)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch lengthSize {
        case 2 where length < 126, 8 where length < 65_536 || length >> 63 != 0:
            throw .protocolError("A length is not in its shortest form.")
        default: break
        }
        if !opcode.isControl {
            guard length <= UInt64(limit - message.count) else {
                throw WebSocketFailure(.tooBig, "A message is limited to \(limit) bytes.")
            }
        }
        return Frame(
            opcode: opcode, isLast: head[0] & 0x80 != 0, left: Int(length), mask: Array(head.suffix(4)))
    }

    /// Takes content of the current frame, and returns what it completes.
    private mutating func readContent(_ rest: inout Data) throws(WebSocketFailure) -> Event? {
        guard var current = frame else { return nil }
        let piece = rest.prefix(current.left)
        rest = rest.dropFirst(piece.count)
        current.left -= piece.count
        var plain = [UInt8](piece)
        for index in plain.indices { plain[index] ^= current.mask[(current.maskIndex + index) & 3] }
        current.maskIndex = (current.maskIndex + plain.count) & 3
        frame = current
        if current.opcode.isControl { control += plain } else { message += plain }
        guard current.left == 0 else { return nil }
        frame = nil
        guard !current.opcode.isControl else {
            defer { control = [] }
            return try controlEvent(current.opcode)
        }
        isInMessage = !current.isLast
        guard current.isLast else { return nil }
        defer { message = [] }
        guard String(validating: message, as: UTF8.self) != nil else {
            throw WebSocketFailure(.notUTF8, "A message is not UTF-8.")
        }
        return .message(Data(message))
    }

    private func controlEvent(_ opcode: Opcode) throws(WebSocketFailure) -> Event {
        switch opcode {
        case .ping: return .ping(Data(control))
        case .close: return .close(try closeCode())
        default: return .pong
        }
    }

    private func closeCode() throws(WebSocketFailure) -> UInt16? {
        guard !control.isEmpty else { return nil }
        guard control.count >= 2 else { throw .protocolError("A close frame is too short.") }
        let code = UInt16(control[0]) << 8 | UInt16(control[1])
        guard [1000...1003, 1007...1014, 3000...4999].contains(where: { $0.contains(code) }) else {
            throw .protocolError("A close code is invalid.")
        }
        guard String(validating: control.dropFirst(2), as: UTF8.self) != nil else {
            throw WebSocketFailure(.notUTF8, "The reason for closing is not UTF-8.")
        }
        return code
    }
}
