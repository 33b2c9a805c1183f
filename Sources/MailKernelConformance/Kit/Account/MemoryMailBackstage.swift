public import FoundationEssentials
public import MailKernelAPI

/// What a test does behind a session's back, as another mail program or another person would.
extension MemoryMailServer {
    /// Puts a message into a mailbox, the inbox by default. Returns nil if there is no such account or
    /// mailbox.
    @discardableResult
    public func deliver(
        _ message: Data, to address: String, mailbox: RemoteMailboxID? = nil, keywords: Set<Keyword> = [],
        receivedAt: Date? = nil
    ) -> RemoteAddress? {
        let mailbox = mailbox ?? MemoryMailStore.inbox
        let receivedAt = receivedAt ?? clock.now
        let added = change(address) { store in
            store.mailbox(mailbox).map { _ in
                store.add(message, to: mailbox, keywords: keywords, receivedAt: receivedAt)
            }
        }
        return added.flatMap { $0 }
    }

    /// Carries out a mutation like another session of the same account.
    @discardableResult
    public func apply(_ mutation: RemoteMutation, in address: String) -> MutationOutcome {
        change(address) { $0.apply(mutation) } ?? .refused(.notFound)
    }

    /// All messages of an account, newest first.
    public func messages(of address: String) -> [MemoryMessage] {
        store(of: address).messages.values.sorted { $0.isNewer(than: $1) }
    }

    /// All mailboxes of an account, parents before their children; empty if there is no such account.
    public func mailboxes(of address: String) -> [RemoteMailbox] {
        store(of: address).mailboxesParentsFirst
    }

    /// Makes every cursor of an account expire, like a change of UIDVALIDITY.
    public func expireCursors(of address: String) {
        _ = change(address) { $0.generation += 1 }
    }

    /// Fills an inbox with plausible mail, the same for the same count: threads of three, some unread, some
    /// starred, one message per hour back from now.
    public func fill(_ address: String, count: Int) {
        let now = clock.now
        let senders = [
            "Grace Hopper", "Alan Turing", "Katherine Johnson", "Edsger Dijkstra", "Barbara Liskov",
        ]
        let subjects = ["Lunch on Thursday", "The minutes of the meeting", "A question about the engine"]
        for number in (0..<max(0, count)).reversed() {
            let conversation = number / 3
            let sender = senders[conversation % senders.count]
            let subject = "\(subjects[conversation % subjects.count]) \(conversation + 1)"
            let isReply = number % 3 != 2
            var lines = [
                "From: \(sender) <\(sender.split(separator: " ")[0].lowercased())@example.org>",
                "To: \(address)",
                "Subject: \(isReply ? "Re: " : "")\(subject)", "Message-ID: <fill-\(number)@example.org>",
            ]
            if isReply { lines.append("In-Reply-To: <fill-\(number + 1)@example.org>") }
            lines += [
                "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "",
                "Dear reader,", "this is message \(number + 1) about \(subject.lowercased()).", sender, "",
            ]
            var keywords: Set<Keyword> = number % 4 == 0 ? [] : [.seen]
            if number % 10 == 5 { keywords.insert(.flagged) }
            deliver(
                Data(lines.joined(separator: "\r\n").utf8), to: address, keywords: keywords,
                receivedAt: now - Double(number) * 3600)
        }
    }
}

// MARK: Submission

extension MemoryMailServer {
    /// Takes a message for delivery to accounts of this server; no other address can be reached.
    func submit(_ message: Data, envelope: Envelope, from address: String) -> SubmissionOutcome {
        let known = Set(logins.map { $0.address.lowercased() })
        let unknown = envelope.rcptTo.filter { !known.contains($0.lowercased()) }
        let noSuchUser = SubmissionReply(code: 550, enhancedCode: "5.1.1", text: "No such user here")
        let refused = Dictionary(unknown.map { ($0, noSuchUser) }, uniquingKeysWith: { first, _ in first })
        guard envelope.mailFrom.lowercased() == address.lowercased() else {
            let reply = SubmissionReply(code: 553, enhancedCode: "5.7.1", text: "Sender address is not yours")
            return .rejected(reply, refused: [:])
        }
        let accepted = Set(envelope.rcptTo.map { $0.lowercased() }).intersection(known)
        guard !accepted.isEmpty else {
            let reply = SubmissionReply(code: 554, enhancedCode: "5.5.1", text: "No valid recipients")
            return .rejected(refused.isEmpty ? reply : noSuchUser, refused: refused)
        }
        for recipient in accepted { deliver(message, to: recipient) }
        if features.contains(.savesSentCopies) {
            deliver(message, to: address, mailbox: MemoryMailStore.sent, keywords: [.seen])
        }
        return .accepted(SubmissionReply(code: 250, enhancedCode: "2.0.0", text: "OK"), refused: refused)
    }
}
