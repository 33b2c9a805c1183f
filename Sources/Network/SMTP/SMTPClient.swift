import FoundationEssentials
import MailKernelAPI

/// Hands one message to a submission server (RFC 6409), and knows exactly what became of it.
struct SMTPClient {
    static let chunkSize = 256 * 1024

    private let message: any ByteSource
    private let submission: SMTPSubmission
    private let opener: StreamOpener
    private let host: String
    private let port: Int

    init(_ message: any ByteSource, _ submission: SMTPSubmission, opener: StreamOpener) {
        self.message = message
        self.submission = submission
        self.opener = opener
        host = submission.endpoint.host
        port = submission.endpoint.port
    }

    func submit() async throws(NetworkError) -> SMTPOutcome {
        let needs = try await needs()
        let stream = try await opener.open(
            submission.endpoint, submission.security, purpose: submission.purpose)
        let login = SMTPLogin(submission)
        var conversation = SMTPConversation(
            stream, host: host, patience: opener.patience, secrets: login.secrets)
        do {
            let outcome = try await submit(in: &conversation, login, needs)
            // Nothing depends on the reply, so it is not awaited.
            if outcome != .unknown { try? await conversation.send("QUIT") }
            await stream.close()
            return outcome
        } catch {
            await stream.close()
            throw error
        }
    }

    /// Checks all requirements before anything is sent.
    private func needs() async throws(NetworkError) -> SMTPNeeds {
        let envelope = submission.envelope
        guard !envelope.rcptTo.isEmpty else { throw .local(reason: "the message has no recipients") }
        for address in [envelope.mailFrom] + envelope.rcptTo {
            let isPlain = address.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7f && $0 != "<" && $0 != ">"
            }
            guard isPlain, !address.isEmpty, address.utf8.count <= 320 else {
                throw .local(reason: "an address in the envelope is invalid")
            }
        }
        do {
            return try await SMTPNeeds(message, submission.envelope)
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "the message cannot be read: \(error)")
        }
    }

    private func submit(
        in conversation: inout SMTPConversation, _ login: SMTPLogin, _ needs: SMTPNeeds
    ) async throws(NetworkError) -> SMTPOutcome {
        let greeting = try await conversation.reply()
        guard greeting.code == 220 else { return .rejected(greeting.shown, refused: [:]) }
        var features = try await hello(&conversation)
        if submission.security == .startTLS {
            guard features.offers("STARTTLS") else {
                throw .insecure(host: host, reason: "it does not offer STARTTLS on port \(port)")
            }
            let reply = try await conversation.ask("STARTTLS")
            guard reply.code == 220 else {
                throw .insecure(
                    host: host, reason: "it refused STARTTLS on port \(port): \(reply.shown.text)")
            }
            try await conversation.secure()
            features = try await hello(&conversation)
        }
        if let refusal = obstacle(features, needs) { return .rejected(refusal, refused: [:]) }
        if let refusal = try await login.perform(in: &conversation, features) {
            return .rejected(refusal, refused: [:])
        }
        return try await transaction(in: &conversation, features, needs)
    }

    /// The name of this machine is private, so a neutral address is sent instead.
    private func hello(_ conversation: inout SMTPConversation) async throws(NetworkError) -> SMTPFeatures {
        let reply = try await conversation.ask("EHLO [127.0.0.1]")
        guard reply.code == 250 else {
            throw .badAnswer(host: host, reason: "it refused EHLO: \(reply.code) \(reply.shown.text)")
        }
        return SMTPFeatures(reply)
    }

    /// Why this server cannot take this message, told before any of it is sent.
    private func obstacle(_ features: SMTPFeatures, _ needs: SMTPNeeds) -> SMTPReply? {
        if needs.unicode, !features.offers("SMTPUTF8") {
            return SMTPReply(
                code: 553, enhancedCode: "5.6.7",
                text: "\(host) does not accept addresses or headers with non-ASCII characters.")
        }
        if needs.eightBit, !features.offers("8BITMIME") {
            return SMTPReply(
                code: 554, enhancedCode: "5.6.3", text: "\(host) accepts only messages of 7-bit text.")
        }
        if let limit = features.sizeLimit, message.size > limit {
            return SMTPReply(
                code: 552, enhancedCode: "5.3.4",
                text: "The message has \(message.size) bytes; \(host) accepts up to \(limit).")
        }
        if submission.envelope.holdUntil != nil, !features.offers("FUTURERELEASE") {
            return SMTPReply(
                code: 555, enhancedCode: "5.5.4", text: "\(host) does not hold messages for later delivery.")
        }
        return nil
    }

    private func transaction(
        in conversation: inout SMTPConversation, _ features: SMTPFeatures, _ needs: SMTPNeeds
    ) async throws(NetworkError) -> SMTPOutcome {
        var sender = "MAIL FROM:<\(submission.envelope.mailFrom)>"
        if features.offers("SIZE") { sender += " SIZE=\(message.size)" }
        if needs.eightBit, features.offers("8BITMIME") { sender += " BODY=8BITMIME" }
        if needs.unicode { sender += " SMTPUTF8" }
        if let date = submission.envelope.holdUntil { sender += " HOLDUNTIL=\(date.formatted(.iso8601))" }
        let recipients = submission.envelope.rcptTo
        let commands = [sender] + recipients.map { "RCPT TO:<\($0)>" }

        let isPipelined = features.offers("PIPELINING")
        if isPipelined { try await conversation.send(commands.joined(separator: "\r\n")) }
        var replies: [SMTPReply] = []
        for command in commands {
            if !isPipelined {
                // If the sender was refused, recipients are pointless.
                if let first = replies.first, first.code / 100 != 2 { break }
                try await conversation.send(command)
            }
            replies.append(try await conversation.reply().shown)
        }
        guard let first = replies.first, first.code / 100 == 2 else {
            return .rejected(replies.first ?? SMTPReply(code: 554, text: ""), refused: [:])
        }
        var refused: [String: SMTPReply] = [:]
        for (recipient, reply) in zip(recipients, replies.dropFirst()) where reply.code / 100 != 2 {
            refused[recipient] = reply
        }
        if let last = replies.last, refused.count == Set(recipients).count {
            return .rejected(last, refused: refused)
        }
        let go = try await conversation.ask("DATA").shown
        guard go.code == 354 else { return .rejected(go, refused: refused) }
        if let early = try await sendMessage(in: &conversation) { return .rejected(early, refused: refused) }
        return try await finish(&conversation, refused)
    }

    private static func next(_ pieces: inout BytePieces) async throws(NetworkError) -> Data? {
        do {
            return try await pieces.next()
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "the message cannot be read: \(error)")
        }
    }

    /// Sends everything except the final dot. Without it, the server discards the message.
    ///
    /// - Returns: the reply of a server that responds before the end.
    private func sendMessage(in conversation: inout SMTPConversation) async throws(NetworkError) -> SMTPReply?
    {
        var text = SMTPText()
        var pieces = message.pieces(of: Self.chunkSize)
        while let chunk = try await Self.next(&pieces) {
            do {
                try await conversation.send(text.encode(chunk))
            } catch {
                if case .closed = error, let reply = try? await conversation.reply() { return reply.shown }
                throw error
            }
        }
        let end = text.finish()
        if !end.isEmpty { try await conversation.send(end) }
        guard await conversation.isWritable else {
            if let reply = try? await conversation.reply() { return reply.shown }
            throw .closed(host: host)
        }
        return nil
    }

    /// After the final dot, the server may have the message. Any failure from here on, including
    /// cancellation, leaves the result unknown.
    private func finish(
        _ conversation: inout SMTPConversation, _ refused: [String: SMTPReply]
    ) async throws(NetworkError) -> SMTPOutcome {
        if Task.isCancelled { throw .cancelled }
        do {
            try await conversation.send(".")
            let reply = try await conversation.reply(within: opener.patience.verdict).shown
            return reply.code / 100 == 2
                ? .accepted(reply, refused: refused) : .rejected(reply, refused: refused)
        } catch {
            return .unknown
        }
    }
}
