public import FoundationEssentials
public import MailKernelAPI

extension IMAPAccountSession {
    public func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        if Task.isCancelled { throw .cancelled }
        let target = try await appendTarget(mailbox)
        guard let flags = KeywordFlags.flags(keywords) else {
            throw .invalid(
                field: "keywords", reason: "The server does not support this keyword.")
        }
        try await checkContent(message)
        statuses.forget()
        let new = NewMessage(source: message, flags: flags, receivedAt: receivedAt)
        if let replacing, has("REPLACE"), try await !knownDirectory().hasLabels,
            let outcome = try await replace(replacing, with: new, in: target)
        {
            return outcome
        }
        let uid = try await append(new, to: target)
        if let replacing { try await destroy([replacing]) }
        return AppendOutcome(address: try await address(of: uid, in: target))
    }

    private struct NewMessage: Sendable {
        let source: any ByteSource
        let flags: [String]
        let receivedAt: Date
    }

    /// Adding to the archive of an account with labels is adding without one.
    private func appendTarget(_ id: RemoteMailboxID) async throws(AccountError) -> MailboxName {
        if case .labels(let allMail) = try await knownDirectory().layout, id == MailboxDirectory.archiveID {
            return allMail
        }
        let entry = try await entry(id)
        guard entry.isSelectable else {
            throw .invalid(field: "mailbox", reason: "This mailbox can only contain other mailboxes.")
        }
        return entry.name
    }

    /// Read once before anything is sent: a literal that was announced has to be sent to its end.
    private func checkContent(_ message: any ByteSource) async throws(AccountError) {
        let limit = capabilities.lazy.compactMap { name in
            name.hasPrefix("APPENDLIMIT=") ? Int(name.dropFirst(12)) : nil
        }.first
        if let limit, message.size > limit {
            throw .invalid(
                field: "size", reason: "The message is larger than the server's limit of \(limit) bytes.")
        }
        do {
            for try await bytes in message.pieces(of: 1 << 16) where bytes.contains(0) {
                throw AccountError.invalid(
                    field: "message",
                    reason: "The message contains zero bytes, which the server cannot store.")
            }
        } catch {
            throw AccountError(local: error)
        }
    }

    private func append(
        _ new: NewMessage, to target: MailboxName
    ) async throws(AccountError) -> MessageUID? {
        let command = Command.append(
            to: target, flags: new.flags, receivedAt: new.receivedAt, size: new.source.size)
        return try await withConnection(onlyReads: false) { connection throws(AccountError) in
            guard let answer = try await connection.perform([command], source: new.source).first else {
                throw .badAnswer("no answer")
            }
            return try answer.orThrow().appended
        }
    }

    /// In one step; nil if the earlier message is gone, so that there is nothing to replace.
    private func replace(
        _ old: RemoteAddress, with new: NewMessage, in target: MailboxName
    ) async throws(AccountError) -> AppendOutcome? {
        guard let message = MessageUID(old.id) else { return nil }
        let name = try await source(of: old.feed).name
        let feed = try await knownDirectory().feed(in: target)
        let command = Command.append(
            to: target, flags: new.flags, receivedAt: new.receivedAt, size: new.source.size,
            replacing: message.uid)
        return try await withMailbox(name, onlyReads: false) { connection, selected throws(AccountError) in
            guard selected.validity == message.validity,
                try await connection.search({ $0.raw("UID").raw("\(message.uid)") }).contains(message.uid),
                let answer = try await connection.perform([command], source: new.source).first
            else { return nil }
            let uid = try answer.orThrow().appended
            return AppendOutcome(address: uid.map { RemoteAddress(feed: feed, id: $0.id) })
        }
    }

    /// Where a new message is in its feed.
    private func address(
        of uid: MessageUID?, in target: MailboxName
    ) async throws(AccountError) -> RemoteAddress? {
        guard let uid else { return nil }
        let directory = try await knownDirectory()
        guard case .labels(let allMail) = directory.layout, allMail != target else {
            return RemoteAddress(feed: directory.feed(in: target), id: uid.id)
        }
        if let entry = directory[target], directory.feed(of: entry).rawValue == entry.id.rawValue {
            return RemoteAddress(feed: directory.feed(of: entry), id: uid.id)
        }
        // The message is there. That its address could not be found out takes nothing from that.
        guard let number = try? await gmailID(of: uid, in: target),
            let found = try? await find([number], in: allMail)[number]
        else { return nil }
        return RemoteAddress(feed: FeedID(MailboxDirectory.id(allMail).rawValue), id: found.id)
    }

    private func gmailID(
        of message: MessageUID, in mailbox: MailboxName
    ) async throws(AccountError) -> UInt64? {
        try await withMailbox(mailbox) { connection, _ throws(AccountError) in
            let answer = try await connection.perform(
                .fetch(UIDSet([message.uid]), "UID X-GM-MSGID")
            ).orThrow()
            return answer.fetched.first { $0.uid == message.uid }?.gmailMessageID
        }
    }
}

extension IMAPConnection.Result {
    /// From `APPENDUID`; `REPLACE` returns it in a separate response.
    fileprivate var appended: MessageUID? {
        var codes = [completion.status.code]
        for case .status(let status) in responses { codes.append(status.code) }
        for case .appendUID(let validity, let uids)? in codes {
            return uids.first.map { MessageUID(validity: validity, uid: $0) }
        }
        return nil
    }
}
