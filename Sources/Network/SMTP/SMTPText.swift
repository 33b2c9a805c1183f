import FoundationEssentials
import MailKernelAPI

/// A message as SMTP carries it: lines that end in CRLF, and a dot more where one begins with a dot.
///
/// A CR or LF alone becomes CRLF. Servers differ in what they take it for, which has been used to smuggle
/// a second message into the first.
struct SMTPText {
    private var last: UInt8 = UInt8(ascii: "\n")
    private var isAfterCR = false

    /// The next bytes of the message as they are sent.
    mutating func encode(_ bytes: Data) -> Data {
        var encoded = Data(capacity: bytes.count + bytes.count / 64 + 16)
        for byte in bytes {
            if isAfterCR {
                isAfterCR = false
                endLine(&encoded)
                if byte == UInt8(ascii: "\n") { continue }
            }
            switch byte {
            case UInt8(ascii: "\r"):
                isAfterCR = true
            case UInt8(ascii: "\n"):
                endLine(&encoded)
            default:
                if byte == UInt8(ascii: "."), last == UInt8(ascii: "\n") { encoded.append(byte) }
                encoded.append(byte)
                last = byte
            }
        }
        return encoded
    }

    /// What completes the last line.
    mutating func finish() -> Data {
        var encoded = Data()
        if isAfterCR || last != UInt8(ascii: "\n") { endLine(&encoded) }
        isAfterCR = false
        return encoded
    }

    private mutating func endLine(_ encoded: inout Data) {
        encoded.append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
        last = UInt8(ascii: "\n")
    }
}

/// What a message and its envelope ask of a server.
struct SMTPNeeds {
    private(set) var eightBit = false
    private(set) var unicode = false

    /// Reads the message once, before anything of it is sent.
    init(_ submission: SMTPSubmission) async throws {
        let addresses = [submission.envelope.mailFrom] + submission.envelope.rcptTo
        unicode = addresses.contains { $0.utf8.contains { $0 >= 0x80 } }
        var isInHeader = true
        // The last bytes before a chunk, to find the empty line across its border.
        var tail: [UInt8] = []
        var offset = 0
        while offset < submission.message.size {
            let chunk = try await submission.message.read(at: offset, count: SMTPClient.chunkSize)
            guard !chunk.isEmpty else { break }
            offset += chunk.count
            guard let first = chunk.firstIndex(where: { $0 >= 0x80 }) else {
                if isInHeader { isInHeader = !Self.endsHeader(tail + chunk) }
                tail = Array((tail + chunk.suffix(3)).suffix(3))
                continue
            }
            eightBit = true
            if isInHeader, !Self.endsHeader(tail + chunk[..<first]) { unicode = true }
            // Nothing that follows could ask for more.
            return
        }
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
