import FoundationEssentials
import IMAP
import MailKernelAPI

/// A conversation with a POP3 server.
struct POP3Talk: Sendable {
    private static let longestLine = 8_192
    private static let mostLines = 1_000_000
    private static let pieceSize = 1 << 16

    let stream: any ByteStream
    let endpoint: Endpoint
    /// Counts what the server sends.
    let pulse: Pulse
    private var input = Data()

    init(stream: any ByteStream, endpoint: Endpoint, pulse: Pulse) {
        self.stream = stream
        self.endpoint = endpoint
        self.pulse = pulse
    }

    mutating func ask(_ command: String) async throws(AccountError) -> POP3Reply {
        try await say(command)
        return try await reply()
    }

    func say(_ commands: String...) async throws(AccountError) { try await say(commands) }

    func say(_ commands: [String]) async throws(AccountError) {
        guard !commands.isEmpty else { return }
        try await stream.write(commands.map { $0 + "\r\n" }.joined(), to: endpoint)
    }

    mutating func startTLS() async throws(AccountError) {
        // Bytes that arrived in the clear are not the server's, as far as is known.
        input = Data()
        try await stream.startTLS(with: endpoint)
    }

    mutating func reply() async throws(AccountError) -> POP3Reply {
        guard let reply = POP3Reply(try await line()) else {
            throw .badAnswer("the server does not use POP3")
        }
        return reply
    }

    /// The lines after a first one, each of them shown to `body`.
    mutating func lines(_ body: (String) throws(AccountError) -> Void) async throws(AccountError) {
        for _ in 0..<Self.mostLines {
            let line = try await line()
            if line == "." { return }
            try body(line.hasPrefix(".") ? String(line.dropFirst()) : line)
        }
        throw .badAnswer("a list of the server has more than \(Self.mostLines) lines")
    }

    /// The message after a first line, piece by piece.
    ///
    /// - Returns: its size; nil if it is larger than `limit`, after which nothing more can be read.
    mutating func message(
        upTo limit: Int, _ body: (Data) async throws(AccountError) -> Void
    ) async throws(AccountError) -> Int? {
        var decoder = DotDecoder()
        var size = 0
        while true {
            if input.isEmpty { try await receive() }
            let (content, used) = decoder.decode(input)
            input = Data(input.dropFirst(used))
            size += content.count
            guard size <= limit else { return nil }
            if !content.isEmpty { try await body(content) }
            if decoder.isAtEnd { return size }
        }
    }

    private mutating func line() async throws(AccountError) -> String {
        var searched = 0
        while true {
            if let end = input.dropFirst(searched).firstIndex(of: 10) {
                let line = input[input.startIndex..<end]
                // A slice: the bytes before it go with the next piece that arrives.
                input = input[input.index(after: end)...]
                return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            }
            searched = input.count
            guard searched < Self.longestLine else {
                throw .badAnswer("the server sent a line of more than \(Self.longestLine) bytes")
            }
            try await receive()
        }
    }

    private mutating func receive() async throws(AccountError) {
        let bytes = try await stream.read(upTo: Self.pieceSize, from: endpoint)
        pulse.beat()
        input = input.isEmpty ? bytes : Data(input) + bytes
    }
}
