import FoundationEssentials
import MailKernelAPI

/// A message in SMTP form: lines end in CRLF, and a leading dot is doubled.
///
/// A single CR or LF becomes CRLF. Servers interpret it differently, which has been used to smuggle a second
/// message into the first.
struct SMTPText {
    private var last: UInt8 = UInt8(ascii: "\n")
    private var isAfterCR = false

    /// The next bytes of the message as they are sent.
    mutating func encode(_ bytes: Data) -> Data {
        let span = bytes.span
        var encoded: [UInt8] = []
        encoded.reserveCapacity(span.count + span.count / 32 + 16)
        // What stands between two line ends is as it should be, and is copied as a whole.
        var start = 0
        for index in span.indices {
            let byte = span[index]
            if isAfterCR {
                isAfterCR = false
                endLine(&encoded)
                start = byte == UInt8(ascii: "\n") ? index + 1 : index
                if start > index { continue }
            }
            switch byte {
            case UInt8(ascii: "\r"):
                encoded.append(span, start..<index)
                isAfterCR = true
                start = index + 1
            case UInt8(ascii: "\n"):
                encoded.append(span, start..<index)
                endLine(&encoded)
                start = index + 1
            default:
                if byte == UInt8(ascii: "."), last == UInt8(ascii: "\n") { encoded.append(byte) }
                last = byte
            }
        }
        encoded.append(span, start..<span.count)
        return Data(encoded)
    }

    /// What completes the last line.
    mutating func finish() -> Data {
        var encoded: [UInt8] = []
        if isAfterCR || last != UInt8(ascii: "\n") { endLine(&encoded) }
        isAfterCR = false
        return Data(encoded)
    }

    private mutating func endLine(_ encoded: inout [UInt8]) {
        encoded.append(UInt8(ascii: "\r"))
        encoded.append(UInt8(ascii: "\n"))
        last = UInt8(ascii: "\n")
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ span: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        span.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}

/// What a message and its envelope ask of a server.
struct SMTPNeeds {
    private(set) var eightBit = false
    private(set) var unicode = false

    /// Reads the message once, before anything of it is sent.
    init(_ message: any ByteSource, _ envelope: Envelope) async throws {
        let addresses = [envelope.mailFrom] + envelope.rcptTo
        unicode = addresses.contains { $0.utf8.contains { $0 >= 0x80 } }
        var isInHeader = true
        // The last bytes before a chunk, to find the empty line across its border.
        var tail: [UInt8] = []
        for try await chunk in message.pieces(of: SMTPClient.chunkSize) {
            guard let first = Self.firstEightBit(of: chunk.span) else {
                if isInHeader { isInHeader = !Self.endsHeader(tail + chunk) }
                let end: Data = chunk.suffix(3)
                tail = Array((tail + end).suffix(3))
                continue
            }
            eightBit = true
            if isInHeader, !Self.endsHeader(tail + chunk.prefix(first)) { unicode = true }
            // Nothing that follows could ask for more.
            return
        }
    }

    private static func firstEightBit(of bytes: Span<UInt8>) -> Int? {
        for index in bytes.indices where bytes[index] >= 0x80 { return index }
        return nil
    }

    private static func endsHeader(_ bytes: some Collection<UInt8>) -> Bool {
        var lineIsEmpty = false
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if lineIsEmpty { return true }
                lineIsEmpty = true
            } else if byte != UInt8(ascii: "\r") {
                lineIsEmpty = false
            }
        }
        return false
    }
}
