import FoundationEssentials
import MailKernelAPI

/// The simplest client there is: sends lines, and reads up to their end. What others are measured against,
/// and what changes a mailbox behind their back.
public final class PlainClient: Sendable {
    public struct Refused: Error, CustomStringConvertible {
        public let description: String
    }

    private let stream: SocketStream

    public init(_ servers: MailServers, address: String) async throws {
        stream = try await SocketStream(
            Endpoint(host: "localhost", port: servers.ports.imaps), security: .tls,
            trusted: servers.ports.certificate)
        let answer = "\0\(address)\0\(MailServers.password.revealed)"
        _ = try await stream.read(upTo: 1 << 16)
        try await command("AUTHENTICATE PLAIN \(Data(answer.utf8).base64EncodedString())")
    }

    /// Sends a command and returns what came, the end of it if it is long.
    @discardableResult
    public func command(_ text: String, literals: Data = Data()) async throws -> String {
        try await run(Data("x \(text)".utf8) + literals + Data("\r\n".utf8)).tail
    }

    /// The same, for how many bytes came.
    public func count(_ text: String) async throws -> Int {
        try await run(Data("x \(text)\r\n".utf8)).count
    }

    private func run(_ bytes: Data) async throws -> (count: Int, tail: String) {
        try await stream.write(bytes)
        var count = 0
        var tail = Data()
        while let bytes = try await stream.read(upTo: 1 << 18) {
            count += bytes.count
            // Only the end is looked at, for the line with the tag.
            tail = tail.count > 1 << 16 ? tail.suffix(1_000) + bytes : tail + bytes
            let end = tail.suffix(1_000)
            guard end.last == 10 else { continue }
            let last = end.dropLast().split(separator: 10).last ?? Data()
            guard last.starts(with: Data("x ".utf8)) else { continue }
            let text = String(decoding: tail, as: UTF8.self)
            guard last.starts(with: Data("x OK".utf8)) else {
                throw Refused(description: String(decoding: last, as: UTF8.self))
            }
            return (count, text)
        }
        throw Refused(description: "the server closed the connection")
    }

    /// Adds messages, many at once.
    public func append(_ messages: some Sequence<Data>, to mailbox: String, flags: String = "") async throws {
        var batch = Data()
        for message in messages {
            batch += Data(" (\(flags)) {\(message.count)+}\r\n".utf8) + message
            if batch.count > 4 << 20 {
                try await command("APPEND \(mailbox)", literals: batch)
                batch = Data()
            }
        }
        if !batch.isEmpty { try await command("APPEND \(mailbox)", literals: batch) }
    }
}
