import FoundationEssentials
import MailKernelAPI

/// Commands and replies on one connection to a submission server.
struct SMTPConversation {
    private let stream: NetworkStream
    private let host: String
    private let patience: Patience
    /// Never shown, even if the server repeats it.
    private let secrets: [String]
    private var reader = SMTPReplyReader()

    init(_ stream: NetworkStream, host: String, patience: Patience, secrets: [String]) {
        self.stream = stream
        self.host = host
        self.patience = patience
        self.secrets = secrets.filter { !$0.isEmpty }
    }

    mutating func ask(_ command: String) async throws(NetworkError) -> SMTPReplyReader.Reply {
        try await send(command)
        return try await reply()
    }

    func send(_ command: String) async throws(NetworkError) {
        try await stream.write(Data((command + "\r\n").utf8))
    }

    func send(_ bytes: Data) async throws(NetworkError) {
        try await stream.write(bytes)
    }

    mutating func reply(within limit: Duration? = nil) async throws(NetworkError) -> SMTPReplyReader.Reply {
        while true {
            do {
                if let reply = try reader.next() { return hidingSecrets(reply) }
            } catch {
                throw .badAnswer(host: host, reason: "its response is not SMTP")
            }
            guard let bytes = try await stream.read(upTo: 16 * 1024, within: limit ?? patience.stall) else {
                throw .closed(host: host)
            }
            reader.append(bytes)
        }
    }

    /// Switches to TLS and discards everything received in the clear.
    mutating func secure() async throws(NetworkError) {
        try await stream.startTLS()
        reader = SMTPReplyReader()
    }

    var isWritable: Bool { get async { await stream.isWritable } }

    private func hidingSecrets(_ reply: SMTPReplyReader.Reply) -> SMTPReplyReader.Reply {
        SMTPReplyReader.Reply(
            code: reply.code,
            lines: reply.lines.map { line in
                secrets.reduce(line) { $0.replacing($1, with: "…") }
            })
    }
}
