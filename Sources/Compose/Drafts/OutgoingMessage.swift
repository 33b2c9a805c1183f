import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// A message as it goes out.
enum OutgoingMessage {
    /// The message without its Bcc fields, which no recipient may see (RFC 8621, section 7.5).
    static func withoutBcc(_ message: Data) -> Data {
        var result = Data(capacity: message.count)
        var rest = message[...]
        var isDropping = false
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            let isContinuation = line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t")
            if !isContinuation { isDropping = isBcc(line) }
            if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) { break }
            if !isDropping { result += line }
            rest = rest[end...]
        }
        return result + rest
    }

    private static func isBcc(_ line: Data.SubSequence) -> Bool {
        guard let colon = line.prefix(40).firstIndex(of: UInt8(ascii: ":")) else { return false }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        return ["bcc", "resent-bcc"].contains(
            name.trimmingPrefix { $0 == " " }.split(separator: " ").first ?? "")
    }

    /// The Message-ID of a message, from its first bytes.
    static func messageID(of message: any ByteSource) async throws -> String? {
        let beginning = try await message.read(at: 0, count: 100_000)
        return EmailHeader(fields: MessageParser().headers(of: beginning)).messageID.first
    }
}
