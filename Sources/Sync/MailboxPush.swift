import Mail
import MailKernelAPI

/// Mailboxes that were made, renamed or deleted here.
extension MutationPush {
    func createMailbox(_ id: Id<Mailbox>, _ map: RemoteMap, _ name: String) async throws {
        // Recorded before the mailbox is read: one that is destroyed from now on is known to be in progress.
        guard try await rewrite(name, { $0.mayBeThere = true }) else { return }
        guard let mailbox = try await store.read.mailboxes([id], in: account.id).first?.mailbox else {
            return try await finish(name)
        }
        let parent = mailbox.parentID.flatMap { map.remote($0) }
        // It was renamed since, and its place is not free yet: its pending rename completes it.
        let isRenamed = try await queue.all().contains { $0.change.renames(id) }
        let hasPlace = try await hasPlace(mailbox, map)
        let made = isRenamed && !hasPlace ? Self.nameOfItsOwn(id) : mailbox.name
        try await applyToMailbox(.createMailbox(name: made, parent: parent), id, name)
    }

    /// Gives a mailbox a temporary name first if its new name is still used by another mailbox that is to be renamed, or
    /// its new parent does not exist at the service yet. It then waits at the top level, so that its previous parent can
    /// be deleted.
    func renameMailbox(
        _ id: Id<Mailbox>, _ change: PendingChange, _ map: RemoteMap, _ name: String
    ) async throws {
        guard try await rewrite(name, { $0.mayBeThere = true }) else { return }
        guard let mailbox = try await store.read.mailboxes([id], in: account.id).first?.mailbox else {
            return try await moveAside(id, name)
        }
        guard let remote = map.remote(id) else { return try await finish(name) }
        if try await !hasPlace(mailbox, map) {
            var parked = change
            parked.isParked = true
            return try await applyToMailbox(
                .renameMailbox(remote, name: Self.nameOfItsOwn(id), parent: nil), id, name, leaving: parked)
        }
        let parent = mailbox.parentID.flatMap { map.remote($0) }
        try await applyToMailbox(.renameMailbox(remote, name: mailbox.name, parent: parent), id, name)
    }

    /// Moves a mailbox that was destroyed since to the top level, because its parent may be deleted before it is.
    private func moveAside(_ id: Id<Mailbox>, _ name: String) async throws {
        guard let remote = try await queue.change(name)?.gone else { return try await finish(name) }
        let aside = RemoteMutation.renameMailbox(remote, name: Self.nameOfItsOwn(id), parent: nil)
        do {
            guard case .done(_, let moved) = try Self.checked(try await session.apply([aside]).first) else {
                return
            }
            try await store.commitNamed(in: account.id) {
                try await deletions(of: remote, nowCalled: moved ?? remote) + [queue.remove(name)]
            }
        } catch is RefusedMutation {
            // The error is reported when the mailbox is deleted.
            try await finish(name)
        }
    }

    /// Pending deletions of a mailbox, with its new id at the service.
    private func deletions(
        of remote: RemoteMailboxID, nowCalled name: RemoteMailboxID
    ) async throws -> [StorageChange] {
        try await queue.all().filter { $0.change.kind == .deleteMailbox(remote) }.map { waiting in
            var change = waiting.change
            change.kind = .deleteMailbox(name)
            return try queue.put(change, name: waiting.name)
        }
    }

    private static func nameOfItsOwn(_ id: Id<Mailbox>) -> String { "renaming-\(id)" }

    /// Whether the mailbox has a temporary name, and its final place is not free yet.
    func waitsForItsPlace(_ change: PendingChange) async throws -> Bool {
        guard case .renameMailbox(let id, _) = change.kind, change.isParked == true,
            let mailbox = try await store.read.mailboxes([id], in: account.id).first?.mailbox
        else { return false }
        return try await !hasPlace(mailbox, try await RemoteMap.load(account.id, from: store))
    }

    private func hasPlace(_ mailbox: Mailbox, _ map: RemoteMap) async throws -> Bool {
        if try await isTaken(mailbox) { return false }
        guard let parent = mailbox.parentID, map.remote(parent) == nil else { return true }
        return try await !queue.all().contains { $0.change.kind == .createMailbox(parent) }
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
            let mailbox = try await store.read.mailboxes([id], in: account.id).first?.mailbox
        else { return nil }
        return PendingChange(.renameMailbox(id, old: mailbox))
    }

    /// On a folder-based server, this would delete the contained mail.
    func deleteMailbox(_ id: RemoteMailboxID, _ map: RemoteMap, _ name: String) async throws {
        if !map.features.contains(.labels), let feed = map.feed(of: id),
            try await !store.read.remoteIDs(feed: feed, after: nil, limit: 1, in: account.id).isEmpty
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
            guard try await !store.read.mailboxes([id], in: account.id).isEmpty else {
                // It was destroyed here in the meantime, and is deleted at the service by its current id.
                if let gone = try await queue.change(name)?.gone {
                    return try await deletions(of: gone, nowCalled: remote) + [
                        queue.remove(name), UnwantedMailbox.gone(id.rawValue, account.id),
                    ]
                }
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
