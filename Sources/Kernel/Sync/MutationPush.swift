import FoundationEssentials
import MailKernelAPI

/// Tells the service what was changed here, in the order it was changed. What it refuses is undone here.
struct MutationPush {
    private static let pauses: [Double] = [5, 15, 45]
    private static let longestPause = 45.0
    private static let mostWaits = 8

    let account: Account
    let session: any AccountSession
    let store: MailStore
    let clock: any HostClock
    let log: LogOutput
    /// What could not be read before this: what may have happened there is not known.
    let unread: UnreadFeeds

    var queue: PendingChanges { PendingChanges(store: store, accountID: account.id) }
    private var appended: AppendedMail { AppendedMail(store: store, accountID: account.id) }

    /// Returns when to push again, if a change has to wait. Those behind it wait too: they may build on it.
    func push() async throws -> Date? {
        for (name, change) in try await queue.all() {
            try Task.checkCancellation()
            // What it follows may have been refused a moment ago.
            if change.follows != nil, try await !queue.contains(name) { continue }
            // One that lies far ahead was noted before the clock was set back.
            if let date = change.nextTryAt, date > clock.now,
                date.timeIntervalSince(clock.now) <= Self.longestPause
            {
                return date
            }
            if let again = try await carryOut(change, name) { return again }
            // What is in it may be called something else now: it is listed before anything is done with that.
            if case .renameMailbox = change.kind { return clock.now }
        }
        return nil
    }

    private func carryOut(_ change: PendingChange, _ name: String) async throws -> Date? {
        // Whether it has happened is seen when that mailbox can be read.
        if try await isUnknown(change) { return clock.now.addingTimeInterval(Self.longestPause) }
        do {
            try await attempt(change, name)
            return nil
        } catch let unknown as UnknownYet {
            return try await waitForName(unknown.change, name)
        } catch let refusal as RefusedMutation {
            try await undo(change, name, because: refusal.error)
            return nil
        } catch let error as AccountError {
            // Waiting for the network or for the user is the round's business.
            if error.concernsWholeAccount { throw error }
            guard !error.isFinal, change.tries < Self.pauses.count else {
                try await undo(change, name, because: error)
                return nil
            }
            var waiting = change
            let next = clock.now.addingTimeInterval(Self.pauses[change.tries])
            waiting.tries += 1
            waiting.nextTryAt = next
            try await store.commit([try queue.put(waiting, name: name)])
            return next
        }
    }

    private func undo(_ change: PendingChange, _ name: String, because error: AccountError) async throws {
        log.write(.warning, account.pluginID, "A change was refused and undone. \(error.sentence)")
        let followers = try await queue.all().filter { $0.change.follows == name }
        let whole = followers.reduce(change) { $0.joined(with: $1.change) }
        let undoing = UndoneChange(whole, account: account, store: store)
        let notice = Notice(account: account, text: undoing.sentence + " " + error.sentence, at: clock.now)
        let changes = try await undoing.changes() + [try notice.change(id: name)]
        try await finish(name, changes + followers.map { queue.remove($0.name) })
    }

    private func isUnknown(_ change: PendingChange) async throws -> Bool {
        let ids = change.emailsThatMayBeThere
        guard !unread.isEmpty, !ids.isEmpty else { return false }
        let emails = try await store.backend.emails(ids, in: account.id).map(\.email)
        let map = try await RemoteMap.load(account.id, from: store)
        return unread.concern(change.mailboxesItShowsIn(emails), map)
    }

    private func attempt(_ change: PendingChange, _ name: String) async throws {
        let map = try await RemoteMap.load(account.id, from: store)
        switch change.kind {
        case .update(let updates): try await update(updates, change, map, name)
        case .destroy(let addresses): try await finish(name, try await apply([.destroy(addresses)]).changes)
        case .append(let id): try await append(id, change, map, name)
        case .createMailbox(let id): try await createMailbox(id, map, name)
        case .renameMailbox(let id, _): try await renameMailbox(id, map, name)
        case .deleteMailbox(let id): try await deleteMailbox(id, map, name)
        }
    }

    private func update(
        _ updates: [EmailUpdate], _ change: PendingChange, _ map: RemoteMap, _ name: String
    ) async throws {
        let refs = try await store.backend.remoteRefs(of: updates.map(\.id), in: account.id)
        let unnamed = Set(updates.map(\.id)).subtracting(refs.map(\.emailID))
        if !unnamed.isEmpty, try await appended.isExpecting(anyOf: unnamed) {
            throw UnknownYet(change: change)
        }
        let plan = MutationPlan(refs: refs, map: map)
        guard !map.features.contains(.labels), updates.contains(where: \.changesMailboxes) else {
            return try await finish(name, try await apply(plan.mutations(for: updates)).changes)
        }
        guard change.mayBeThere == true else {
            var underWay = change
            underWay.mayBeThere = true
            underWay.named = Set(refs.map(\.emailID))
            try await store.commit([try queue.put(underWay, name: name)])
            let done = try await apply(plan.mutations(for: updates))
            return try await finish(underWay, name, done, map)
        }
        // All mail was read since the last try: what was carried out then shows in where the emails are. What had
        // a name and has none is gone there; what never had one is here alone.
        let lost = unnamed.intersection(change.named ?? [])
        let gone = try await store.backend.emails(Array(lost), in: account.id).map {
            StorageChange.destroyEmail($0.email.id, in: account.id)
        }
        var done = try await apply(plan.mutations(for: updates.map(plan.withoutWhatIsDone)))
        done.changes += gone
        try await finish(change, name, done, map)
    }

    /// What was moved without being named is read first: what comes behind may be about it.
    private func finish(
        _ underWay: PendingChange, _ name: String, _ done: Applied, _ map: RemoteMap
    ) async throws {
        // A mailbox that is not read tells nothing.
        let isAwaited = done.unnamedMoves.contains { target in
            target.map { map.feed(of: $0) != nil } ?? true
        }
        guard isAwaited, (underWay.waits ?? 0) < Self.mostWaits else {
            return try await finish(name, done.changes)
        }
        try await store.commit(done.changes)
        throw UnknownYet(change: underWay)
    }

    private func append(
        _ id: Id<Email>, _ change: PendingChange, _ map: RemoteMap, _ name: String
    ) async throws {
        if change.mayBeThere == true, try await !store.backend.remoteRefs(of: [id], in: account.id).isEmpty {
            // It was there, and the reading before this has found it.
            return try await finishAppending(id, map, name, [])
        }
        guard let email = try await store.backend.emails([id], in: account.id).first?.email,
            let mailbox = email.mailboxIDs.sorted().compactMap({ map.remote($0) }).first,
            try await store.backend.blobInfo(email.blobID, in: account.id) != nil
        else { return try await finish(name, []) }
        if change.mayBeThere == true, let address = try await unseen(email, mailbox, map) {
            let ref = RemoteRef(
                emailID: id, accountID: account.id, feed: address.feed, remoteID: address.id)
            return try await finishAppending(id, map, name, [.putRemote(ref)])
        }
        let source = try await StoredBlob(email.blobID, in: account.id, store.backend)
        var underWay = change
        underWay.mayBeThere = true
        try await store.commit([try queue.put(underWay, name: name)])
        let outcome = try await session.append(
            source, to: mailbox, keywords: email.keywords, receivedAt: email.receivedAt, replacing: nil)
        guard let address = outcome.address else {
            return try await finish(name, [try appended.expect(email, at: clock.now)])
        }
        let ref = RemoteRef(emailID: id, accountID: account.id, feed: address.feed, remoteID: address.id)
        let others = email.mailboxIDs.compactMap { map.remote($0) }.filter { $0 != mailbox }
        try await finishAppending(id, map, name, [.putRemote(ref)])
        _ = try await apply(others.map { .add([address], to: $0) })
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
        let held = try await store.backend.emailIDs(
            for: found.map(\.id), feed: feed ?? Id(""), in: account.id)
        return found.first { $0.feed == feed && held[$0.id] == nil }
    }

    private func finishAppending(
        _ id: Id<Email>, _ map: RemoteMap, _ name: String, _ changes: [StorageChange]
    ) async throws {
        try await finish(name, changes)
        try await appended.keepAsCopy(id, isLocal: map.features.contains(.local))
    }

    /// Where all mail can be read it is found, or known to be gone, long before the end.
    private func waitForName(_ change: PendingChange, _ name: String) async throws -> Date? {
        // The reading that follows this push mostly finds it.
        let pauses = [0] + Self.pauses
        let waits = change.waits ?? 0
        guard waits < Self.mostWaits else {
            guard case .update(let updates) = change.kind else { return nil }
            try await finish(name, updates.map { appended.found($0.id) })
            return nil
        }
        var waiting = change
        let next = clock.now.addingTimeInterval(pauses[min(waits, pauses.count - 1)])
        waiting.waits = waits + 1
        waiting.nextTryAt = next
        try await store.commit([try queue.put(waiting, name: name)])
        return next
    }

    struct Applied {
        /// What the service's new names for messages change here.
        var changes: [StorageChange] = []
        /// Where messages were moved to, it was not said under which name; nil for an archive that the service may
        /// just have made.
        var unnamedMoves: Set<RemoteMailboxID?> = []
    }

    func apply(_ mutations: [RemoteMutation]) async throws -> Applied {
        guard !mutations.isEmpty else { return Applied() }
        var unnamed: Set<RemoteMailboxID?> = []
        var changes: [StorageChange] = []
        for (mutation, outcome) in zip(mutations, try await session.apply(mutations)) {
            guard case .done(let newIDs, _) = try Self.checked(outcome) else { continue }
            switch mutation {
            case .move(let addresses, _, let target) where !addresses.allSatisfy { newIDs[$0] != nil }:
                unnamed.insert(target)
            case .remove(let addresses, _) where !addresses.allSatisfy { newIDs[$0] != nil }:
                unnamed.insert(nil)
            default: break
            }
            // What is added elsewhere is a second copy; the first one stays.
            let isCopy = if case .add = mutation { true } else { false }
            for (old, new) in newIDs.sorted(by: { $0.key.id < $1.key.id }) {
                let held = try await store.backend.emailIDs(for: [old.id], feed: old.feed, in: account.id)
                guard let email = held[old.id] else { continue }
                if !isCopy { changes.append(.removeRemote(old.id, feed: old.feed, in: account.id)) }
                changes.append(
                    .putRemote(
                        RemoteRef(emailID: email, accountID: account.id, feed: new.feed, remoteID: new.id)))
            }
        }
        return Applied(changes: changes, unnamedMoves: unnamed)
    }

    static func checked(_ outcome: MutationOutcome?) throws -> MutationOutcome {
        switch outcome {
        case .done: return outcome ?? .notTried
        case .failed(let error): throw error
        case .refused(let error): throw RefusedMutation(error)
        case .notTried, nil: throw AccountError.offline
        }
    }

    func finish(_ name: String, _ changes: [StorageChange]) async throws {
        try await store.commit(changes + [queue.remove(name)])
    }
}

/// What the service calls a message that was added there shows when its feed is read next.
private struct UnknownYet: Error {
    let change: PendingChange
}

/// It cannot be done, however often it is tried.
struct RefusedMutation: Error {
    let error: AccountError

    init(_ error: AccountError) {
        self.error = error
    }
}

extension AccountError {
    /// Nothing can be done for this account for now, whatever the change.
    var concernsWholeAccount: Bool {
        switch self {
        case .offline, .unreachable, .insecure, .authenticationRequired, .denied, .throttled, .secrets,
            .cancelled:
            true
        case .refused, .notFound, .cursorExpired, .badAnswer, .unsupported, .invalid, .local: false
        }
    }

    /// Trying again will not help, as it may where the service says no (FR-SYNC-05).
    fileprivate var isFinal: Bool {
        switch self {
        case .notFound, .unsupported, .invalid: true
        default: false
        }
    }
}
