import FoundationEssentials

/// Messages on a byte stream: the length in four bytes, little-endian, and JSON.
///
/// Consumes received bytes and returns complete messages. The other side may be a process compromised by a
/// model file: its messages are limited and checked here.
package struct Frames: Sendable {
    /// The longest message. A batch of vectors has some hundred kilobytes.
    package static let longest = 4 << 20

    package enum Problem: Error, Sendable {
        case tooLong(Int)
        case notUnderstood
    }

    private var bytes: [UInt8] = []

    package init() {}

    package mutating func add(_ arrived: some Sequence<UInt8>) {
        bytes.append(contentsOf: arrived)
    }

    /// The next message, or nil until more has arrived.
    package mutating func next<Message: Decodable>(_ type: Message.Type) throws(Problem) -> Message? {
        guard bytes.count >= 4 else { return nil }
        let length = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.longest else { throw .tooLong(length) }
        guard bytes.count - 4 >= length else { return nil }
        let body = Data(bytes[4..<4 + length])
        bytes.removeFirst(4 + length)
        guard let message = try? JSONDecoder().decode(type, from: body) else { throw .notUnderstood }
        return message
    }

    /// A message as it goes over the stream.
    package static func encode(_ message: some Encodable) throws(Problem) -> [UInt8] {
        guard let body = try? JSONEncoder().encode(message) else { throw .notUnderstood }
        guard body.count <= longest else { throw .tooLong(body.count) }
        return (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) } + body
    }
}
