import FoundationEssentials
import Mail
import MailKernelAPI

/// Messages that were made here.
///
/// The user may destroy one at any point. Before it is on its way that takes the change back; from then on it leaves
/// a note (`UnnamedEmail`) that a reading finds it by. An answer that comes for an email that is gone destroys the
/// message by the name it brings.
extension MutationPush {
    func append(_ id: Id<Email>, _ change: PendingChange, _ map: RemoteMap, _ name: String) async throws {
        if change.mayBeThere == true, try await !store.read.remoteRefs(of: [id], in: account.id).isEmpty {
            // It was there, and the reading before this has found it.
            try await finish(name)
            return try await store.keepAsCopy(id, in: account.id, isLocal: map.features.contains(.local))
        }
        // Noted before the email is read: read before, it could be gone when this is noted.
        guard try await rewrite(name, { $0.mayBeThere = true }) else { return }
        guard let email = try await store.read.emails([id], in: account.id).first?.email,
            let mailbox = email.mailboxIDs.sorted().compactMap({ map.remote($0) }).first,
            let info = try await store.read.blobInfo(email.blobID, in: account.id)
        else { return try await finish(name) }
        if change.mayBeThere == true, let address = try await unseen(email, mailbox, map) {
            return try await arrived(email, address, mailbox, map, name)
        }
        let outcome = try await session.append(
            StoredBlob(info, store.read), to: mailbox, keywords: email.keywords,
            receivedAt: email.receivedAt, replacing: nil)
        try await arrived(email, outcome.address, mailbox, map, name)
    }

    /// - Parameters:
    ///   - address: nil where the service does not say it.
    ///   - mailbox: the one it was added to. It is put into the rest of its mailboxes under the same name, before any
    ///     later change of it.
    private func arrived(
        _ email: Email, _ address: RemoteAddress?, _ mailbox: RemoteMailboxID, _ map: RemoteMap,
        _ name: String
    ) async throws {
        let others = email.mailboxIDs.filter { local in map.remote(local).map { $0 != mailbox } ?? false }
        let rest = PendingChange(.update([EmailUpdate(email.id, in: account.id, addMailboxes: others)]))
        let (changes, _) = try await store.commitNamed(in: account.id) {
            guard try await !store.read.emails([email.id], in: account.id).isEmpty else {
                let gone =
                    if let address {
                        try unnamed.destroyThere(address, of: email.id)
                    } else {
                        try await unnamed.destroyed(email, at: clock.now)
                    }
                return gone + [queue.remove(name)]
            }
            let next = others.isEmpty ? queue.remove(name) : try queue.put(rest, name: name)
            guard let address else { return [try unnamed.awaiting(email, at: clock.now), next] }
            let ref = RemoteRef(
                emailID: email.id, accountID: account.id, feed: address.feed, remoteID: address.id)
            return [.putRemote(ref), next]
        }
        guard changes.contains(where: { if case .putRemote = $0 { true } else { false } }) else { return }
        try await store.keepAsCopy(email.id, in: account.id, isLocal: map.features.contains(.local))
        if !others.isEmpty { try await attempt(rest, name) }
    }

    /// Where an email is whose adding was interrupted, and that a reading does not show: it is older than mail
    /// that is read.
    private func unseen(
        _ email: Email, _ mailbox: RemoteMailboxID, _ map: RemoteMap
    ) async throws -> RemoteAddress? {
        guard let start = account.windowStart(at: clock.now), email.receivedAt < start,
            map.features.contains(.serverSearch), let messageID = email.header.messageID.first
        else { return nil }
        let filter = EmailFilter.header(name: "Message-ID", value: messageID)
        let found = try await session.search(filter, limit: 100)
        let feed = map.feed(of: mailbox)
        let held = try await store.read.emailIDs(
            for: found.map(\.id), feed: feed ?? Id(""), in: account.id)
        return found.first { $0.feed == feed && held[$0.id] == nil }
    }
}
