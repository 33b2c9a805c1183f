import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Makes the mailboxes of an account those of its service.
struct MailboxSync {
    let account: Account
    let session: any AccountSession
    let store: MailStore
    let ids: IDMaker
    let clock: any HostClock

    func update() async throws {
        let began = clock.now
        let listing = try await session.mailboxes().withDistinctNames()
        let features = await session.features
        while true {
            try Task.checkCancellation()
            // The deletion depends on the mailbox's content and on concurrent local changes.
            var preconditions: [ChangeSet.Precondition] = []
            let notes = [PendingChanges.collection, UnwantedMailbox.collection].map { DataType.documents($0) }
            for type in [.email, .mailbox, RemoteMap.dataType] + notes {
                let state = try await store.read.state(of: type, in: account.id)
                preconditions.append(ChangeSet.Precondition(type, in: account.id, is: state))
            }
            let changes = try await changes(to: listing, features, since: began)
            do throws(StorageError) {
                if !changes.isEmpty { try await store.commit(changes, preconditions: preconditions) }
                break
            } catch {
                guard case .stateMismatch = error else { throw error }
            }
        }
        try await GoneFeeds(account: account, store: store, clock: clock).forget()
    }

    private func changes(
        to listing: MailboxListing, _ features: AccountFeatures, since began: Date
    ) async throws -> [StorageChange] {
        var map = try await RemoteMap.load(account.id, from: store)
        let before = map
        let stored = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
        let queue = try await PendingChanges(store: store, accountID: account.id).all()
        let (leaving, leavingChanges) = try await unwanted(listing.mailboxes, map, since: began)
        let pending = queue.map(\.change) + leaving
        var changes = leavingChanges
        let isMoving = try await FormerPlace.load(account.id, from: store) != nil
        if isMoving { SameMailboxes(stored, pending).link(listing.mailboxes, in: &map) }
        changes += put(listing.mailboxes, over: stored, pending, &map)
        changes += archive(listing.mailboxes, stored)
        changes += try places(listing.mailboxes, stored, features, &map)
        let renamed = RenamedFeed.all(in: before.feeds, now: listing.feeds)
        map.setFeeds(listing.feeds, renamed: Set(renamed.map(\.old)))
        // What is in them was not recognized yet.
        if !isMoving { changes += try await destroyed(listing.mailboxes, stored, pending, &map) }
        for feed in renamed { changes += try await feed.changes(in: account.id, store, queue) }
        map.features = features
        if map != before { changes.append(try map.change(for: account.id)) }
        return changes
    }

    /// Mailboxes that were destroyed here on their way to the service, and have arrived there.
    private func unwanted(
        _ remote: [RemoteMailbox], _ map: RemoteMap, since began: Date
    ) async throws -> ([PendingChange], [StorageChange]) {
        let queue = PendingChanges(store: store, accountID: account.id)
        var leaving: [PendingChange] = []
        var changes: [StorageChange] = []
        for (name, note) in try await UnwantedMailbox.all(in: account.id, store) {
            let arrived = remote.first { map.local($0.id) == nil && note.isNamed(like: $0) }
            guard arrived != nil || note.neverCame(listedAt: began) else { continue }
            changes.append(UnwantedMailbox.gone(name, account.id))
            guard let arrived else { continue }
            let change = PendingChange(.deleteMailbox(arrived.id))
            leaving.append(change)
            changes.append(try queue.put(change, name: "P0" + name))
        }
        return (leaving, changes)
    }

    private func put(
        _ remote: [RemoteMailbox], over stored: [Mailbox], _ pending: [PendingChange], _ map: inout RemoteMap
    ) -> [StorageChange] {
        let byID = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        let leaving = Set(pending.compactMap { if case .deleteMailbox(let id) = $0.kind { id } else { nil } })
        let made = Set(pending.compactMap { if case .createMailbox(let id) = $0.kind { id } else { nil } })
        let awaited = stored.filter { made.contains($0.id) }
        var parents = byID.compactMapValues(\.parentID)
        return remote.filter { !leaving.contains($0.id) }.compactMap { mailbox in
            let parentID = mailbox.parentID.flatMap { map.local($0) }
            // Another client has created the mailbox that is still pending here: two mailboxes with the same
            // name would split the mail.
            let known =
                map.local(mailbox.id).flatMap { byID[$0] }
                ?? awaited.first { $0.name == mailbox.name && $0.parentID == parentID }
                ?? own(mailbox, byID, map)
            // A local renaming is sent to the service first.
            if let known, pending.contains(where: { $0.renames(known.id) }) { return nil }
            var local = known ?? Mailbox(id: ids.next("X"), accountID: account.id, name: mailbox.name)
            local.name = mailbox.name
            local.parentID = parentID
            local.role = mailbox.role
            local.rights = mailbox.rights
            if known == nil { local.sortOrder = Mailbox.sortOrder(mailbox.role) }
            map.link(mailbox.id, to: local.id)
            // Its parent may have been moved below it locally, which has not been sent yet.
            if Self.isBelow(local.id, local.parentID, parents) { return nil }
            parents[local.id] = local.parentID
            return local == known ? nil : .putMailbox(local)
        }
    }

    /// The local mailbox, once the service has its own: messages just added can be undone by their id.
    private func own(
        _ mailbox: RemoteMailbox, _ byID: [Id<Mailbox>: Mailbox], _ map: RemoteMap
    ) -> Mailbox? {
        switch mailbox.role {
        case .archive: map.remote(OwnArchive.id(account.id)) == nil ? byID[OwnArchive.id(account.id)] : nil
        case .drafts: map.remote(OwnDrafts.id(account.id)) == nil ? byID[OwnDrafts.id(account.id)] : nil
        default: nil
        }
    }

    private static func isBelow(
        _ id: Id<Mailbox>, _ parent: Id<Mailbox>?, _ parents: [Id<Mailbox>: Id<Mailbox>]
    ) -> Bool {
        var above = parent
        while let next = above, next != id { above = parents[next] }
        return above != nil
    }

    /// A mailbox of our own for mail that the service keeps in none.
    private func archive(_ remote: [RemoteMailbox], _ stored: [Mailbox]) -> [StorageChange] {
        guard !remote.contains(where: { $0.role == .archive }),
            !stored.contains(where: { $0.id == OwnArchive.id(account.id) })
        else { return [] }
        return [.putMailbox(OwnArchive.mailbox(of: account.id))]
    }

    /// The mailboxes that every mail client needs, if a folder-based service has none: created once, and not
    /// again if that is refused, or if they are deleted.
    private func places(
        _ remote: [RemoteMailbox], _ stored: [Mailbox], _ features: AccountFeatures, _ map: inout RemoteMap
    ) throws -> [StorageChange] {
        guard map.hasPlaces != true, features.contains(.mailboxChanges),
            features.isDisjoint(with: [.labels, .local])
        else { return [] }
        map.hasPlaces = true
        let queue = PendingChanges(store: store, accountID: account.id)
        let names: [(Mailbox.Role, String)] = [(.drafts, "Drafts"), (.sent, "Sent"), (.trash, "Trash")]
        return try names.filter { role, name in
            !remote.contains { $0.role == role || $0.parentID == nil && $0.name == name }
        }.flatMap { role, name in
            // Drafts that were written before the first round are in ours.
            let own = stored.first { role == .drafts && $0.id == OwnDrafts.id(account.id) }?.id
            let mailbox = Mailbox(
                id: own ?? ids.next("X"), accountID: account.id, name: name, role: role,
                sortOrder: Mailbox.sortOrder(role))
            let change = PendingChange(.createMailbox(mailbox.id))
            let changeName: Id<PendingChange> = ids.next("P")
            return [.putMailbox(mailbox), try queue.put(change, name: changeName.rawValue)]
        }
    }

    /// Mailboxes that are gone from the service, children before their parents.
    private func destroyed(
        _ remote: [RemoteMailbox], _ stored: [Mailbox], _ pending: [PendingChange], _ map: inout RemoteMap
    ) async throws -> [StorageChange] {
        let there = Set(remote.compactMap { map.local($0.id) })
        let waiting = Set(pending.compactMap { if case .createMailbox(let id) = $0.kind { id } else { nil } })
        // The local mailbox is needed as long as the service has none.
        var own: Set<Id<Mailbox>> = []
        if !remote.contains(where: { $0.role == .archive }) { own.insert(OwnArchive.id(account.id)) }
        if !remote.contains(where: { $0.role == .drafts }) { own.insert(OwnDrafts.id(account.id)) }
        let gone = Self.childrenFirst(
            stored.filter { !there.contains($0.id) && !waiting.contains($0.id) && !own.contains($0.id) })
        let leaving = Set(gone.map(\.id))
        func home(_ role: Mailbox.Role) -> Id<Mailbox>? {
            remote.first { $0.role == role }.flatMap { map.local($0.id) }
        }
        let homes = (archive: home(.archive), drafts: home(.drafts))
        let remotes = Dictionary(map.mailboxes.map { ($0.value, $0.key) }) { first, _ in first }
        var changes: [StorageChange] = []
        for mailbox in gone {
            try Task.checkCancellation()
            let home = mailbox.id == OwnDrafts.id(account.id) ? homes.drafts : homes.archive
            let feed = remotes[mailbox.id].flatMap { map.feed(of: $0) }
            let feeds = Set((map.goneFeeds ?? []).map(\.id)).union(feed.map { [$0] } ?? [])
            changes += try await archived(
                from: mailbox.id, feeds, leaving, to: home ?? OwnArchive.id(account.id))
            // Should one of this name appear again, it is read from the beginning.
            if let feed { changes.append(FeedSync.forgetCursor(of: feed, in: account.id)) }
            changes.append(.destroyMailbox(mailbox.id, in: account.id))
        }
        map.unlink(leaving)
        return changes
    }

    /// Mailboxes in a cycle, which a server should not send, come in any order.
    private static func childrenFirst(_ mailboxes: [Mailbox]) -> [Mailbox] {
        let parents = Dictionary(mailboxes.map { ($0.id, $0.parentID) }) { first, _ in first }
        func depth(_ mailbox: Mailbox) -> Int {
            var (depth, next) = (0, mailbox.parentID)
            while let id = next, depth <= mailboxes.count, let above = parents[id] {
                (depth, next) = (depth + 1, above)
            }
            return depth
        }
        return mailboxes.map { ($0, depth($0)) }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Keeps mail that is only in deleted mailboxes but exists elsewhere on the service, or is not there yet:
    /// it was just moved or created here, or has lost its only label. It would not be reported again.
    private func archived(
        from mailbox: Id<Mailbox>, _ feeds: Set<FeedID>, _ leaving: Set<Id<Mailbox>>, to archive: Id<Mailbox>
    ) async throws -> [StorageChange] {
        let count =
            try await store.read.mailboxes([mailbox], in: account.id).first?.counts.totalEmails ?? 0
        guard count > 0 else { return [] }
        let query = EmailQuery(in: [account.id], filter: .inMailbox(mailbox), limit: count)
        let ids = try await store.read.queryEmails(query).hits.map(\.emailID)
        var changes: [StorageChange] = []
        for some in ids.slices(of: 1_000).map(Array.init) {
            let refs = try await store.read.remoteRefs(of: some, in: account.id)
            let gone = Set(refs.filter { feeds.contains($0.feed) }.map(\.emailID))
                .subtracting(refs.filter { !feeds.contains($0.feed) }.map(\.emailID))
            changes += try await store.read.emails(some, in: account.id).map(\.email)
                .filter { $0.mailboxIDs.isSubset(of: leaving) && !gone.contains($0.id) }
                .map { .updateEmail(EmailUpdate($0.id, in: account.id, addMailboxes: [archive])) }
        }
        return changes
    }
}

extension PendingChange {
    func renames(_ id: Id<Mailbox>) -> Bool {
        if case .renameMailbox(id, _) = kind { true } else { false }
    }
}
