import MailKernelAPI

/// Mailboxes that were made, renamed or deleted here.
extension MutationPush {
    func createMailbox(_ id: Id<Mailbox>, _ map: RemoteMap, _ name: String) async throws {
        guard let mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox else {
            return try await finish(name, [])
        }
        let parent = mailbox.parentID.flatMap { map.remote($0) }
        try await applyToMailbox(.createMailbox(name: mailbox.name, parent: parent), id, name)
    }

    func renameMailbox(_ id: Id<Mailbox>, _ map: RemoteMap, _ name: String) async throws {
        guard let mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox,
            let remote = map.remote(id)
        else { return try await finish(name, []) }
        let parent = mailbox.parentID.flatMap { map.remote($0) }
        try await applyToMailbox(.renameMailbox(remote, name: mailbox.name, parent: parent), id, name)
    }

    /// On a server that keeps mail in folders it would take with it what is in it.
    func deleteMailbox(_ id: RemoteMailboxID, _ map: RemoteMap, _ name: String) async throws {
        if !map.features.contains(.labels), let feed = map.feed(of: id),
            try await !store.backend.remoteIDs(feed: feed, after: nil, limit: 1, in: account.id).isEmpty
        {
            // It was moved elsewhere here, and came to nothing there; or has come meanwhile.
            throw RefusedMutation(.local(reason: "There is still mail in it."))
        }
        try await finish(name, try await apply([.deleteMailbox(id)]).changes)
    }

    private func applyToMailbox(
        _ mutation: RemoteMutation, _ id: Id<Mailbox>, _ name: String
    ) async throws {
        let outcome = try await session.apply([mutation]).first
        guard case .done(_, let remote) = try Self.checked(outcome) else { return }
        try await store.commitNamed(in: account.id) {
            guard let remote else { return [queue.remove(name)] }
            guard try await !store.backend.mailboxes([id], in: account.id).isEmpty else {
                // Deleted here while the service was being told: so it is to go there, by the name it has now.
                return [try queue.put(PendingChange(.deleteMailbox(remote)), name: name)]
            }
            var map = try await RemoteMap.load(account.id, from: store)
            map.rename(id, to: remote)
            return [try map.change(for: account.id), queue.remove(name)]
        }
    }
}
