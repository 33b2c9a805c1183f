public import MailKernelAPI

extension IMAPAccountSession {
    public func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        var outcomes: [MutationOutcome] = []
        statuses.forget()
        for mutation in mutations {
            do throws(AccountError) {
                outcomes.append(try await apply(mutation))
            } catch {
                if error == .cancelled, Task.isCancelled { throw .cancelled }
                outcomes.append(error.retry == .never ? .refused(error) : .failed(error))
                guard error.concernsWholeAccount else { continue }
                outcomes += mutations.dropFirst(outcomes.count).map { _ in .notTried }
                return outcomes
            }
        }
        return outcomes
    }

    private func apply(_ mutation: RemoteMutation) async throws(AccountError) -> MutationOutcome {
        switch mutation {
        case .setKeywords(let addresses, let add, let remove):
            return try await setKeywords(addresses, add: add, remove: remove)
        case .add(let addresses, let mailbox):
            return try await add(addresses, to: mailbox)
        case .remove(let addresses, let mailbox):
            return try await remove(addresses, from: mailbox)
        case .move(let addresses, let source, let target):
            return try await move(addresses, from: source, to: target)
        case .destroy(let addresses):
            try await destroy(addresses)
            return .done(newIDs: [:], mailbox: nil)
        case .createMailbox(let name, let parent):
            return .done(newIDs: [:], mailbox: try await createMailbox(name, below: parent))
        case .renameMailbox(let id, let name, let parent):
            return .done(newIDs: [:], mailbox: try await renameMailbox(id, to: name, below: parent))
        case .deleteMailbox(let id):
            try await deleteMailbox(id)
            return .done(newIDs: [:], mailbox: nil)
        }
    }

    // MARK: Keywords

    private func setKeywords(
        _ addresses: [RemoteAddress], add: Set<Keyword>, remove: Set<Keyword>
    ) async throws(AccountError) -> MutationOutcome {
        guard let added = KeywordFlags.flags(add), let removed = KeywordFlags.flags(remove) else {
            throw .invalid(
                field: "keywords", reason: "The server does not support this keyword.")
        }
        for group in groups(addresses) {
            // The resulting flags are always reported again.
            for uid in group.uids.ascending { flagMemory[group.feed]?.keywords[uid] = nil }
            try await withMessages(group) { connection, uids throws(AccountError) in
                for part in uids.pieces(await connection.messageLimit) {
                    var commands: [Command] = []
                    if !added.isEmpty { commands.append(.store(part, adds: true, flags: added)) }
                    if !removed.isEmpty { commands.append(.store(part, adds: false, flags: removed)) }
                    for answer in try await connection.perform(commands) { _ = try answer.orThrow() }
                }
            }
        }
        return .done(newIDs: [:], mailbox: nil)
    }

    // MARK: Mailboxes of messages

    private func add(
        _ addresses: [RemoteAddress], to id: RemoteMailboxID
    ) async throws(AccountError) -> MutationOutcome {
        if try await knownDirectory().hasLabels {
            return try await addLabel(addresses, id)
        }
        let target = try await entry(id)
        for group in groups(addresses) where try await source(of: group.feed).mailboxID != id {
            try await copy(group, to: target)
        }
        return .done(newIDs: [:], mailbox: nil)
    }

    private func remove(
        _ addresses: [RemoteAddress], from id: RemoteMailboxID
    ) async throws(AccountError) -> MutationOutcome {
        if try await knownDirectory().hasLabels { return try await removeLabel(addresses, id) }
        let archive = try await archive()
        guard archive.isSelectable, archive.id != id else {
            throw .unsupported("taking a message out of its only mailbox")
        }
        return try await move(addresses, from: id, to: archive.id)
    }

    private func move(
        _ addresses: [RemoteAddress], from source: RemoteMailboxID, to id: RemoteMailboxID
    ) async throws(AccountError) -> MutationOutcome {
        if try await knownDirectory().hasLabels {
            return try await moveLabel(addresses, from: source, to: id)
        }
        let target = try await entry(id)
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for group in groups(addresses) where group.feed.rawValue != target.id.rawValue {
            for (old, new) in try await move(group, to: target.name) {
                newIDs[RemoteAddress(feed: group.feed, id: old.id)] = RemoteAddress(
                    feed: FeedID(target.id.rawValue), id: new.id)
            }
        }
        return .done(newIDs: newIDs, mailbox: nil)
    }

    func destroy(_ addresses: [RemoteAddress]) async throws(AccountError) {
        let directory = try await knownDirectory()
        for group in groups(addresses) {
            if directory.hasLabels, try await source(of: group.feed).mailboxID == nil {
                try await destroyForGood(group, directory)
            } else {
                try await withMessages(group) { connection, uids throws(AccountError) in
                    try await connection.remove(uids)
                }
            }
        }
    }

    // MARK: Messages

    /// The messages of one feed, of one life of its mailbox.
    struct Group: Sendable {
        let feed: FeedID
        let validity: UInt32
        let uids: UIDSet
    }

    /// Ids that were not made here name nothing.
    func groups(_ addresses: [RemoteAddress]) -> [Group] {
        var uids: [FeedID: [UInt32: [UInt32]]] = [:]
        for address in addresses {
            guard let message = MessageUID(address.id) else { continue }
            uids[address.feed, default: [:]][message.validity, default: []].append(message.uid)
        }
        return uids.sorted { $0.key < $1.key }.flatMap { feed, lives in
            lives.map { Group(feed: feed, validity: $0.key, uids: UIDSet($0.value)) }
        }
    }

    /// Runs `body` where a group's messages are, unless they are of an earlier life of the mailbox: then
    /// they are gone.
    func withMessages(
        _ group: Group, _ body: (IMAPConnection, UIDSet) async throws(AccountError) -> Void
    ) async throws(AccountError) {
        let name = try await source(of: group.feed).name
        try await withMailbox(name, onlyReads: false) { connection, selected throws(AccountError) in
            if selected.validity == group.validity { try await body(connection, group.uids) }
        }
    }

    /// Moves messages and tells their new ids, where the server does.
    func move(
        _ group: Group, to target: MailboxName
    ) async throws(AccountError) -> [(old: MessageUID, new: MessageUID)] {
        var moved: [(old: MessageUID, new: MessageUID)] = []
        let name = try await source(of: group.feed).name
        guard await canMove(name) else {
            let copied = try await copy(group, to: target)
            try await withMessages(group) { connection, _ throws(AccountError) in
                try await connection.remove(copied)
            }
            return []
        }
        let pairs = try await withMailbox(name, onlyReads: false) {
            connection, selected throws(AccountError) -> [(UInt32, MessageUID)] in
            guard selected.validity == group.validity else { return [] }
            var pairs: [(UInt32, MessageUID)] = []
            for part in group.uids.pieces(await connection.messageLimit) {
                pairs += try await connection.perform(.move(part, to: target)).orThrow().copied(part)
            }
            return pairs
        }
        for (old, new) in pairs { moved.append((MessageUID(validity: group.validity, uid: old), new)) }
        return moved
    }

    private func canMove(_ name: MailboxName) async -> Bool { has("MOVE") }
}

extension UIDSet {
    /// Pieces of at most about 5,000 UIDs, for answers that are kept.
    var pages: [UIDSet] {
        var pages: [[ClosedRange<UInt32>]] = [[]]
        var count = 0
        for range in ranges.flatMap({ $0.cut(to: 5_000) }) {
            if count + range.count > 5_000 || pages[pages.count - 1].count >= 300 {
                pages.append([])
                count = 0
            }
            pages[pages.count - 1].append(range)
            count += range.count
        }
        return pages.filter { !$0.isEmpty }.map { UIDSet($0) }
    }

    /// Pieces that make commands of a length that servers take.
    var pieces: [UIDSet] { ranges.slices(of: 300).map { UIDSet(Array($0)) } }

    /// The same, each with no more messages than a server with a limit takes at once.
    func pieces(_ limit: Int?) -> [UIDSet] {
        guard let limit, count > limit else { return pieces }
        return ascending.slices(of: limit).flatMap { UIDSet($0).pieces }
    }
}

extension IMAPConnection.Result {
    /// By `COPYUID`, which message became which. Only those that were named count.
    func copied(_ asked: UIDSet) -> [(UInt32, MessageUID)] {
        var codes = [completion.status.code]
        for case .status(let status) in responses { codes.append(status.code) }
        for case .copyUID(let validity, let from, let to)? in codes {
            let new = to.lazy.flatMap { $0 }
            return zip(from.lazy.flatMap { $0 }, new).prefix(asked.count)
                .filter { asked.contains($0.0) }
                .map { ($0, MessageUID(validity: validity, uid: $1)) }
        }
        return []
    }
}

extension ClosedRange<UInt32> {
    /// The same numbers in ranges of at most this many.
    fileprivate func cut(to size: UInt32) -> [ClosedRange<UInt32>] {
        stride(from: lowerBound, through: upperBound, by: Int(size)).map { start in
            start...(upperBound - start < size ? upperBound : start + size - 1)
        }
    }
}
