import FoundationEssentials
import MailKernelAPI

/// Makes the mailboxes of an account those of its service.
struct MailboxSync {
    let account: Account
    let session: any AccountSession
    let store: MailStore
    let ids: IDMaker

    func update() async throws {
        let listing = try await session.mailboxes()
        var map = try await RemoteMap.load(account.id, from: store)
        let before = map
        let stored = try await store.backend.mailboxes(nil, in: account.id).map(\.mailbox)
        let pending = try await PendingChanges(store: store, accountID: account.id).all().map(\.change)
        var changes = put(listing.mailboxes, over: stored, pending, &map)
        changes += archive(listing.mailboxes, stored)
        changes += try destroyed(listing.mailboxes, stored, pending, &map)
        map.feeds = listing.feeds
        map.features = await session.features
        if map != before { changes.append(try map.change(for: account.id)) }
        if !changes.isEmpty { try await store.commit(changes) }
    }

    private func put(
        _ remote: [RemoteMailbox], over stored: [Mailbox], _ pending: [PendingChange], _ map: inout RemoteMap
    ) -> [StorageChange] {
        let byID = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        let leaving = Set(pending.compactMap { if case .deleteMailbox(let id) = $0.kind { id } else { nil } })
        return remote.filter { !leaving.contains($0.id) }.compactMap { mailbox in
            let known = map.local(mailbox.id).flatMap { byID[$0] }
            // What was renamed here goes to the service first.
            if let known, pending.contains(where: { $0.renames(known.id) }) { return nil }
            var local = known ?? Mailbox(id: ids.next("X"), accountID: account.id, name: mailbox.name)
            local.name = mailbox.name
            local.parentID = mailbox.parentID.flatMap { map.local($0) }
            local.role = mailbox.role
            local.rights = mailbox.rights
            if known == nil { local.sortOrder = Self.sortOrder(mailbox.role) }
            map.link(mailbox.id, to: local.id)
            return local == known ? nil : .putMailbox(local)
        }
    }

    /// A mailbox of our own for mail that the service keeps in none.
    private func archive(_ remote: [RemoteMailbox], _ stored: [Mailbox]) -> [StorageChange] {
        guard !remote.contains(where: { $0.role == .archive }),
            !stored.contains(where: { $0.id == Self.archiveID(account.id) })
        else { return [] }
        let mailbox = Mailbox(
            id: Self.archiveID(account.id), accountID: account.id, name: "Archive", role: .archive,
            sortOrder: Self.sortOrder(.archive),
            rights: [.readItems, .addItems, .removeItems, .setSeen, .setKeywords])
        return [.putMailbox(mailbox)]
    }

    /// Mailboxes that are gone from the service, children before their parents.
    private func destroyed(
        _ remote: [RemoteMailbox], _ stored: [Mailbox], _ pending: [PendingChange], _ map: inout RemoteMap
    ) throws -> [StorageChange] {
        let there = Set(remote.compactMap { map.local($0.id) })
        let waiting = Set(pending.compactMap { if case .createMailbox(let id) = $0.kind { id } else { nil } })
        var gone = stored.filter {
            !there.contains($0.id) && !waiting.contains($0.id) && $0.id != Self.archiveID(account.id)
        }
        var changes: [StorageChange] = []
        while let index = gone.firstIndex(where: { one in !gone.contains { $0.parentID == one.id } }) {
            let mailbox = gone.remove(at: index)
            map.unlink(mailbox.id)
            changes.append(.destroyMailbox(mailbox.id, in: account.id))
        }
        return changes
    }

    static func archiveID(_ account: Id<Account>) -> Id<Mailbox> { Id("X-archive-" + account.rawValue) }

    /// The usual mailboxes first, in their usual order.
    private static func sortOrder(_ role: Mailbox.Role?) -> Int {
        switch role {
        case .inbox: 1
        case .drafts: 2
        case .sent: 3
        case .archive: 4
        case .junk: 5
        case .trash: 6
        case .flagged, .all, .important: 7
        case nil: 10
        }
    }
}

extension PendingChange {
    func renames(_ id: Id<Mailbox>) -> Bool {
        if case .renameMailbox(id, _) = kind { true } else { false }
    }
}
