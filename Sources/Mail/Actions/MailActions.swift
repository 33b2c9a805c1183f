import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// What a user does with mail. Each action is done here at once and in one piece, together with the note of
/// what the service is to be told; telling it is the sync's business.
package struct MailActions: Sendable {
    let store: MailStore
    let services: any MailServices
    let blobs: Blobs
    let ids: IDMaker
    let clock: any HostClock

    package init(
        store: MailStore, services: any MailServices, blobs: Blobs, ids: IDMaker, clock: any HostClock
    ) {
        self.store = store
        self.services = services
        self.blobs = blobs
        self.ids = ids
        self.clock = clock
    }

    /// What an account's service can do, as far as it is known.
    package func features(of accountID: Id<Account>) async throws(StorageError) -> AccountFeatures {
        try await RemoteMap.load(accountID, from: store).features
    }

    /// The emails of messages that are waiting to be sent, or just being sent.
    package func beingSent(in accountID: Id<Account>) async throws(StorageError) -> Set<Id<Email>> {
        let onTheirWay = try await store.read.submissions(nil, in: accountID).filter {
            $0.sendState == .queued || $0.sendState == .sending
        }
        return Set(onTheirWay.map(\.emailID))
    }

    /// Changes keywords and mailboxes of emails: all or none.
    ///
    /// - Parameters:
    ///   - updates: only properties that differ from the current emails.
    ///   - unchanged: fails unless this is so.
    ///   - more: other changes for the same commit.
    /// - Returns: the state of the account's emails after it; nil if none was changed.
    @discardableResult
    package func update(
        _ updates: [EmailUpdate], in accountID: Id<Account>, ifInState state: State? = nil,
        ifIn unchanged: [ChangeSet.Precondition] = [], with more: [StorageChange] = []
    ) async throws -> State? {
        let real = updates.filter { !$0.isEmpty }
        guard !real.isEmpty else {
            guard !more.isEmpty else { return nil }
            try await store.commit(more, preconditions: preconditions(state, accountID) + unchanged)
            return nil
        }
        var changes = real.map { StorageChange.updateEmail($0) } + more
        // The service is told in portions: if it refuses one, that one is undone.
        for some in real.slices(of: Self.portion) { changes += try notes(of: Array(some), accountID) }
        let expected = preconditions(state, accountID) + unchanged
        let result = try await store.commit(changes, preconditions: expected)
        await services.changed(accountID)
        return result.states.first { $0.type == .email && $0.accountID == accountID }?.state
    }

    private static let portion = 200

    /// Notes that the service is to be told of updates.
    private func notes(of updates: [EmailUpdate], _ accountID: Id<Account>) throws -> [StorageChange] {
        let rest = updates.compactMap(\.afterMove)
        let first: Id<PendingChange> = ids.next("P")
        let move = try note(.update(updates.map(\.move)), named: first, accountID)
        return rest.isEmpty ? [move] : [move, try note(.update(rest), after: first, accountID)]
    }

    /// Destroys emails for good, here and at the service.
    package func destroy(
        _ emailIDs: [Id<Email>], in accountID: Id<Account>, ifInState state: State? = nil,
        with more: [StorageChange] = []
    ) async throws {
        guard !emailIDs.isEmpty else {
            if !more.isEmpty { try await store.commit(more) }
            return
        }
        let name: Id<PendingChange> = ids.next("P")
        try await store.commitNamed(in: accountID, preconditions: preconditions(state, accountID)) {
            guard try await store.read.emails(emailIDs, in: accountID).count == emailIDs.count else {
                throw StorageError.notFound("an email")
            }
            return try await destruction(of: emailIDs, in: accountID, name) + more
        }
        await services.changed(accountID)
        for id in emailIDs { await blobs.removeNowOrLater(BlobID(email: id).id, in: accountID) }
    }

    private func destruction(
        of emailIDs: [Id<Email>], in accountID: Id<Account>, _ name: Id<PendingChange>
    ) async throws -> [StorageChange] {
        try await EmailDestruction(store: store, accountID: accountID, clock: clock)
            .changes(of: emailIDs, named: name)
    }

    /// Adds a message: it is here when this returns, and goes to the service afterwards.
    ///
    /// - Parameter receivedAt: nil for the time in the message's latest Received field, or now if there is none.
    package func add(
        _ message: Data, to mailboxIDs: Set<Id<Mailbox>>, keywords: Set<Keyword>, receivedAt: Date?,
        in accountID: Id<Account>
    ) async throws -> StoredEmail {
        let id: Id<Email> = ids.next("M")
        let blobID = BlobID(email: id).id
        let parsed = MessageParser().parse(message) { BlobID(email: id, part: $0).id }
        let dates = PlausibleDate(now: clock.now)
        let receivedAt = receivedAt ?? dates.lastPassed(parsed) ?? clock.now
        let email = Email(
            id: id, accountID: accountID, blobID: blobID, mailboxIDs: mailboxIDs, keywords: keywords,
            size: message.count, receivedAt: receivedAt, header: parsed.header,
            hasAttachment: parsed.hasAttachment, preview: parsed.preview)
        let unfinished = try await blobs.keep(message, as: blobID, type: "message/rfc822", in: accountID)
        let risks = AttachmentNotes.note(parsed, from: message, id, in: accountID).map { [$0] } ?? []
        try await commit(
            [.putEmail(email, parsed.body), try note(.append(id), accountID), unfinished] + risks,
            in: accountID)
        guard let stored = try await store.read.emails([id], in: accountID).first else {
            throw StorageError.notFound("an email that was just added")
        }
        return stored
    }

    // MARK: Mailboxes

    /// - Parameter state: the required state of the account's mailboxes. Another client may have used the name or
    ///   destroyed the parent since.
    package func createMailbox(_ mailbox: Mailbox, ifInState state: State? = nil) async throws -> Mailbox {
        var mailbox = mailbox
        mailbox.id = ids.next("X")
        try await commit(
            [.putMailbox(mailbox), try note(.createMailbox(mailbox.id), mailbox.accountID)],
            in: mailbox.accountID, .mailbox, ifInState: state)
        return mailbox
    }

    /// Replaces mailboxes of one account, all or none. Their names and parents are the service's business too; the rest
    /// is ours alone.
    ///
    /// - Parameter state: the required state of the account's mailboxes, so that a mailbox destroyed since does not come
    ///   back, and other changes are not overwritten.
    package func updateMailboxes(_ updates: [MailboxChange], ifInState state: State? = nil) async throws {
        guard let accountID = updates.first?.new.accountID else { return }
        var changes = updates.map { StorageChange.putMailbox($0.new) }
        for update in updates where update.isMove {
            changes.append(try note(.renameMailbox(update.new.id, old: update.old), accountID))
        }
        try await commit(changes, in: accountID, .mailbox, ifInState: state)
    }

    /// Destroys a mailbox. Emails in no other mailbox are destroyed with it, unless it is a label: a service
    /// may keep emails without labels, so they are archived here until the service removes them.
    ///
    /// - Parameters:
    ///   - evenWithEmails: if false, `MailboxNotEmpty` is thrown if there are any, even if they just arrived.
    ///   - record: other changes for the same commit, given the number of emails that are destroyed.
    package func destroyMailbox(
        _ id: Id<Mailbox>, in accountID: Id<Account>, evenWithEmails: Bool,
        record: @Sendable (Int) throws -> [StorageChange] = { _ in [] }
    ) async throws {
        while true {
            try Task.checkCancellation()
            let state = try await store.read.state(of: .email, in: accountID)
            do {
                try await store.commitNamed(in: accountID, preconditions: preconditions(state, accountID)) {
                    let (changes, count) = try await removal(
                        of: id, in: accountID, evenWithEmails: evenWithEmails)
                    return try changes + record(count)
                }
                break
            } catch StorageError.stateMismatch {
                // Its content has changed in between.
            }
        }
        await services.changed(accountID)
    }

    private func removal(
        of id: Id<Mailbox>, in accountID: Id<Account>, evenWithEmails: Bool
    ) async throws -> (changes: [StorageChange], destroyed: Int) {
        let stored = try await store.read.mailboxes([id], in: accountID).first
        if let count = stored?.counts.totalEmails, count > 0, !evenWithEmails {
            throw MailboxNotEmpty(count: count)
        }
        var map = try await RemoteMap.load(accountID, from: store)
        let only = try await emails(onlyIn: id, in: accountID)
        let held = try await held(only, map, of: id, in: accountID)
        var changes = try await archiving(only.filter(held.contains), map, in: accountID)
        // The service has these elsewhere, or not yet: they would not go with the mailbox there.
        let elsewhere = only.filter { !held.contains($0) }
        if !elsewhere.isEmpty {
            changes += try await destruction(of: elsewhere, in: accountID, ids.next("P"))
        }
        changes.append(.destroyMailbox(id, in: accountID))
        let queue = PendingChanges(store: store, accountID: accountID)
        for (name, change) in try await queue.all() where change.concerns(id) {
            if case .createMailbox = change.kind { changes.append(queue.remove(name)) }
            if change.isParked != true, try await hasLeftADestroyedMailbox(change, in: accountID) {
                var leaving = change
                leaving.gone = map.remote(id)
                changes.append(try queue.put(leaving, name: name))
            }
            guard change.mayBeThere == true, let mailbox = stored?.mailbox else { continue }
            let parent = mailbox.parentID.flatMap { map.remote($0) }
            let note = UnwantedMailbox(name: mailbox.name, parent: parent, since: clock.now)
            changes.append(try note.change(id, accountID))
        }
        if let remote = map.remote(id) {
            changes.append(try note(.deleteMailbox(remote), accountID))
            map.unlink(id)
            changes.append(try map.change(for: accountID))
        }
        return (changes, map.features.contains(.labels) ? elsewhere.count : only.count)
    }

    /// The previous parent is deleted at the service first, where the mailbox must have left it by then.
    private func hasLeftADestroyedMailbox(
        _ change: PendingChange, in accountID: Id<Account>
    ) async throws(StorageError) -> Bool {
        guard case .renameMailbox(_, let old) = change.kind, let parent = old.parentID else { return false }
        return try await store.read.mailboxes([parent], in: accountID).isEmpty
    }

    /// Those of the emails that the service has in this mailbox.
    private func held(
        _ emails: [Id<Email>], _ map: RemoteMap, of id: Id<Mailbox>, in accountID: Id<Account>
    ) async throws(StorageError) -> Set<Id<Email>> {
        let feed = map.remote(id).flatMap { map.feed(of: $0) }
        let refs = try await store.read.remoteRefs(of: emails, in: accountID)
        // With labels, one feed has the mail of all mailboxes.
        let isAnyFeed = map.features.contains(.labels)
        return Set(refs.filter { isAnyFeed || $0.feed == feed }.map(\.emailID))
    }

    private func emails(
        onlyIn id: Id<Mailbox>, in accountID: Id<Account>
    ) async throws(StorageError) -> [Id<Email>] {
        let stored = try await store.read.mailboxes([id], in: accountID).first
        guard let count = stored?.counts.totalEmails, count > 0 else { return [] }
        let query = EmailQuery(in: [accountID], filter: .inMailbox(id), limit: count)
        let found = try await store.read.queryEmails(query).hits.map(\.emailID)
        return try await store.read.emails(found, in: accountID).map(\.email)
            .filter { $0.mailboxIDs == [id] }.map(\.id)
    }

    private func archiving(
        _ emails: [Id<Email>], _ map: RemoteMap, in accountID: Id<Account>
    ) async throws(StorageError) -> [StorageChange] {
        guard map.features.contains(.labels), !emails.isEmpty else { return [] }
        let archive = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
            .first { $0.role == .archive }?.id
        return emails.map {
            let place = archive ?? OwnArchive.id(accountID)
            return .updateEmail(EmailUpdate($0, in: accountID, addMailboxes: [place]))
        }
    }

    /// Before anything else is changed.
    package func followWaiting(in accountID: Id<Account>) async throws(StorageError) {
        try await PendingChanges(store: store, accountID: accountID).precede(ids)
    }

    /// - Parameter first: the change whose second step this is.
    private func note(
        _ kind: PendingChange.Kind, named name: Id<PendingChange>? = nil,
        after first: Id<PendingChange>? = nil, _ accountID: Id<Account>
    ) throws -> StorageChange {
        var change = PendingChange(kind)
        change.follows = first?.rawValue
        let name = name ?? ids.next("P")
        return try PendingChanges(store: store, accountID: accountID).put(change, name: name.rawValue)
    }

    private func commit(
        _ changes: [StorageChange], in accountID: Id<Account>, _ type: DataType = .email,
        ifInState state: State? = nil
    ) async throws {
        try await store.commit(changes, preconditions: preconditions(state, accountID, type))
        await services.changed(accountID)
    }

    private func preconditions(
        _ state: State?, _ accountID: Id<Account>, _ type: DataType = .email
    ) -> [ChangeSet.Precondition] {
        state.map { [ChangeSet.Precondition(type, in: accountID, is: $0)] } ?? []
    }
}

/// The current state of a mailbox, and the desired one.
package struct MailboxChange: Sendable, Hashable {
    package let old: Mailbox
    package let new: Mailbox

    package init(from old: Mailbox, to new: Mailbox) {
        (self.old, self.new) = (old, new)
    }

    /// It gets another name, or another place.
    package var isMove: Bool { old.name != new.name || old.parentID != new.parentID }
}

/// A mailbox was to go only if it is empty, and is not.
package struct MailboxNotEmpty: Error, Hashable {
    package let count: Int
}

/// Changes in two steps. With labels, Trash can be a separate feed in which a message has a different id:
/// only after the message was moved, and its new id is known, can its other labels be changed.
extension EmailUpdate {
    private var isInTwoSteps: Bool {
        !addMailboxes.isEmpty && !removeMailboxes.isEmpty && addMailboxes.count + removeMailboxes.count > 2
    }

    /// Out of one mailbox into one other, or all there is to do.
    fileprivate var move: EmailUpdate {
        guard isInTwoSteps else { return self }
        var move = self
        move.addMailboxes = Set(addMailboxes.sorted().prefix(1))
        move.removeMailboxes = Set(removeMailboxes.sorted().prefix(1))
        return move
    }

    fileprivate var afterMove: EmailUpdate? {
        guard isInTwoSteps else { return nil }
        return EmailUpdate(
            id, in: accountID, addMailboxes: addMailboxes.subtracting(move.addMailboxes),
            removeMailboxes: removeMailboxes.subtracting(move.removeMailboxes))
    }
}

extension MailActions {
    /// The way to an account's mail; nil if it is inactive or its plugin is not there.
    package func session(of accountID: Id<Account>) async -> (any AccountSession)? {
        await services.session(accountID)
    }
}
