import MailKernelAPI

/// Mailboxes that were made, renamed or deleted here.
extension MutationPush {
    func createMailbox(_ id: Id<Mailbox>, _ map: RemoteMap, _ name: String) async throws {
        // Recorded before the mailbox is read: one that is destroyed from now on is known to be in progress.
        guard try await rewrite(name, { $0.mayBeThere = true }) else { return }
        guard let mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox else {
            return try await finish(name)
        }
        let parent = mailbox.parentID.flatMap { map.remote($0) }
        // It was renamed since, to what another one is still called there: its own renaming comes behind.
        let isRenamed = try await queue.all().contains { $0.change.renames(id) }
        let isTaken = try await isTaken(mailbox)
        let made = isRenamed && isTaken ? Self.nameOfItsOwn(id) : mailbox.name
        try await applyToMailbox(.createMailbox(name: made, parent: parent), id, name)
    }

    /// Where another mailbox still has the name that this one gets, and is to be renamed itself, this one gets a name of
    /// its own first: so two can swap their names.
    func renameMailbox(
        _ id: Id<Mailbox>, _ old: Mailbox, _ change: PendingChange, _ map: RemoteMap, _ name: String
    ) async throws {
        guard try await rewrite(name, { $0.mayBeThere = true }) else { return }
        guard let mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox,
            let remote = map.remote(id)
        else { return try await finish(name) }
        if try await isTaken(mailbox) {
            var parked = change
            parked.isParked = true
            let parent = old.parentID.flatMap { map.remote($0) }
            return try await applyToMailbox(
                .renameMailbox(remote, name: Self.nameOfItsOwn(id), parent: parent), id, name, leaving: parked
            )
        }
        let parent = mailbox.parentID.flatMap { map.remote($0) }
        try await applyToMailbox(.renameMailbox(remote, name: mailbox.name, parent: parent), id, name)
    }

    private static func nameOfItsOwn(_ id: Id<Mailbox>) -> String { "renaming-\(id)" }

    /// Whether the mailbox has a temporary name, and its final name is still taken by another.
    func waitsForItsPlace(_ change: PendingChange) async throws -> Bool {
        guard case .renameMailbox(let id, _) = change.kind, change.isParked == true,
            let mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox
        else { return false }
        return try await isTaken(mailbox)
    }

    private func isTaken(_ mailbox: Mailbox) async throws -> Bool {
        try await queue.all().contains { _, other in
            guard case .renameMailbox(let id, let old) = other.kind, other.isParked != true else {
                return false
            }
            return id != mailbox.id && old.parentID == mailbox.parentID && old.name == mailbox.name
        }
    }

    /// What gives a mailbox its old name back at the service, if its renaming is taken back half-way.
    func unparking(_ change: PendingChange) async throws -> PendingChange? {
        guard case .renameMailbox(let id, _) = change.kind, change.isParked == true,
            let mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox
        else { return nil }
        return PendingChange(.renameMailbox(id, old: mailbox))
    }

    /// On a folder-based server, this would delete the contained mail.
    func deleteMailbox(_ id: RemoteMailboxID, _ map: RemoteMap, _ name: String) async throws {
        if !map.features.contains(.labels), let feed = map.feed(of: id),
            try await !store.backend.remoteIDs(feed: feed, after: nil, limit: 1, in: account.id).isEmpty
        {
            // A local move that failed on the service; or mail that has arrived in between.
            throw RefusedMutation(.local(reason: "It still contains mail."))
        }
        _ = try await apply([.deleteMailbox(id)])
        try await finish(name)
    }

    private func applyToMailbox(
        _ mutation: RemoteMutation, _ id: Id<Mailbox>, _ name: String, leaving rest: PendingChange? = nil
    ) async throws {
        let outcome = try await session.apply([mutation]).first
        guard case .done(_, let remote) = try Self.checked(outcome) else { return }
        try await store.commitNamed(in: account.id) {
            let end = try rest.map { try queue.put($0, name: name) } ?? queue.remove(name)
            guard let remote else { return [end] }
            guard try await !store.backend.mailboxes([id], in: account.id).isEmpty else {
                // Deleted here while the service was being told: so it is to go there, by the name it has now.
                return [
                    try queue.put(PendingChange(.deleteMailbox(remote)), name: name),
                    UnwantedMailbox.gone(id.rawValue, account.id),
                ]
            }
            var map = try await RemoteMap.load(account.id, from: store)
            map.rename(id, to: remote)
            return [try map.change(for: account.id), end]
        }
    }
}
