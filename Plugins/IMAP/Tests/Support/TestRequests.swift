import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// HTTP and SMTP on connections of tests, as far as tests need them.
struct TestConversation {
    let stream: SocketStream
    private var input = Data()

    init(_ stream: SocketStream) { self.stream = stream }

    // MARK: HTTP

    static func send(_ request: HTTPRequest, trusted: String) async throws(NetworkError) -> HTTPResponse {
        let url = request.url
        guard url.scheme == "https", let host = url.host else {
            throw .insecure(host: url.host ?? "", reason: "only https URLs are allowed")
        }
        var conversation = TestConversation(
            try await SocketStream(
                Endpoint(host: host, port: url.port ?? 443), security: .tls, trusted: trusted))
        let target = url.absoluteString.dropFirst("https://".count).drop { $0 != "/" }
        let body = try await request.wholeBody()
        var head = "\(request.method) \(target.isEmpty ? "/" : target) HTTP/1.0\r\n"
        head += "Host: \(host)\(url.port.map { ":\($0)" } ?? "")\r\n"
        for (name, value) in request.headers { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(body.count)\r\n\r\n"
        try await conversation.stream.write(Data(head.utf8) + body)
        return try await conversation.answer(of: host)
    }

    private mutating func answer(of host: String) async throws(NetworkError) -> HTTPResponse {
        while let bytes = try await stream.read(upTo: 1 << 16) {
            input += bytes
            guard input.count < 4 << 20 else {
                stream.close()
                throw .badAnswer(host: host, reason: "its response is larger than 4 MiB")
            }
        }
        let text = input
        guard let end = text.firstRange(of: Data("\r\n\r\n".utf8)) else { throw .closed(host: host) }
        let lines = String(decoding: text[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw .badAnswer(host: host, reason: "no HTTP")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        return HTTPResponse(status: status, headers: headers, body: Data(text[end.upperBound...]))
    }

    // MARK: SMTP

    static func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission, trusted: String
    ) async throws(NetworkError) -> SMTPOutcome {
        let stream = try await SocketStream(
            submission.endpoint, security: submission.security, trusted: trusted)
        var conversation = TestConversation(stream)
        _ = try await conversation.reply()
        _ = try await conversation.ask("EHLO test")
        if submission.security == .startTLS {
            _ = try await conversation.ask("STARTTLS")
            try await stream.startTLS()
            _ = try await conversation.ask("EHLO test")
        }
        try await conversation.signIn(submission.login, host: submission.endpoint.host)
        return try await conversation.handOver(message, submission.envelope)
    }

    private mutating func signIn(_ login: SMTPSubmission.Login, host: String) async throws(NetworkError) {
        let words =
            switch login {
            case .oauth(let user, let token):
                ("XOAUTH2", "user=\(user)\u{1}auth=Bearer \(token.revealed)\u{1}\u{1}")
            case .password(let user, let password): ("PLAIN", "\0\(user)\0\(password.revealed)")
            }
        var reply = try await ask("AUTH \(words.0) \(Data(words.1.utf8).base64EncodedString())")
        if reply.code == 334 { reply = try await ask("") }
        guard reply.code == 235 else { throw .loginRefused(host: host, reply: reply.text) }
    }

    private mutating func handOver(
        _ message: any ByteSource, _ envelope: Envelope
    ) async throws(NetworkError) -> SMTPOutcome {
        // Read before anything is said, so that what cannot be read is not begun.
        let bytes = try await message.wholeBytes()
        _ = try await ask("MAIL FROM:<\(envelope.mailFrom)>")
        var refused: [String: SMTPReply] = [:]
        for recipient in envelope.rcptTo {
            let reply = try await ask("RCPT TO:<\(recipient)>")
            if reply.code >= 400 { refused[recipient] = reply }
        }
        if refused.count == envelope.rcptTo.count {
            return .rejected(SMTPReply(code: 554, text: "No valid recipients"), refused: refused)
        }
        _ = try await ask("DATA")
        // Lines of the tests' messages begin with no dot.
        try await stream.write(bytes + Data("\r\n".utf8))
        let reply = try await ask(".")
        return reply.code < 400 ? .accepted(reply, refused: refused) : .rejected(reply, refused: refused)
    }

    private mutating func ask(_ line: String) async throws(NetworkError) -> SMTPReply {
        try await stream.write(Data("\(line)\r\n".utf8))
        return try await reply()
    }

    private mutating func reply() async throws(NetworkError) -> SMTPReply {
        var lines: [String] = []
        while true {
            while let end = input.firstIndex(of: 10) {
                let line = String(decoding: input[..<end], as: UTF8.self).filter { !$0.isNewline }
                input = Data(input[(end + 1)...])
                lines.append(String(line.dropFirst(4)))
                if line.dropFirst(3).first != "-" {
                    return SMTPReply(code: Int(line.prefix(3)) ?? 0, text: lines.joined(separator: " "))
                }
            }
            guard let bytes = try await stream.read(upTo: 1 << 16) else { throw .closed(host: "test") }
            input += bytes
        }
    }
}
