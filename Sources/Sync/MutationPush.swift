import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Sends local changes to the service, in order. Changes that it refuses are undone here.
struct MutationPush {
    private static let mostWaits = 8

    let account: Account
    let session: any AccountSession
    let store: MailStore
    let clock: any HostClock
    let log: LogOutput
    /// Feeds that could not be read: their state is unknown.
    let unread: UnreadFeeds

    var queue: PendingChanges { PendingChanges(store: store, accountID: account.id) }
    var unnamed: UnnamedEmails { UnnamedEmails(store: store, accountID: account.id) }

    /// Returns when to push again, if a change has to wait. Those behind it wait too: they may build on it.
    func push() async throws -> Date? {
        for (name, change) in try await PushOrder.of(queue.all(), in: account.id, store) {
            try Task.checkCancellation()
            // The change it depends on may just have been refused.
            if change.follows != nil, try await !queue.contains(name) { continue }
            // A date far in the future was saved before the clock was set back.
            if let date = change.nextTryAt, date > clock.now,
                date.timeIntervalSince(clock.now) <= RetrySchedule.change.longest
            {
                return date
            }
            if try await waitsForItsPlace(change) { continue }
            if try await isAboutUnrecognized(change) { return clock.now + RetrySchedule.change.longest }
            if let again = try await carryOut(change, name) { return again }
            // Mailboxes below may have new names: list them before anything else is done with them.
            if case .renameMailbox = change.kind { return clock.now }
        }
        return nil
    }

    private func carryOut(_ change: PendingChange, _ name: String) async throws -> Date? {
        // Whether it has happened is seen when that mailbox can be read.
        if try await isUnknown(change) { return clock.now + RetrySchedule.change.longest }
        do {
            try await attempt(change, name)
            return nil
        } catch let unknown as UnknownYet {
            return try await waitForName(unknown.change, name)
        } catch let refusal as RefusedMutation {
            try await undo(name, because: refusal.error)
            return nil
        } catch let error as AccountError {
            // Waiting for the network or for the user is the round's business.
            if error.concernsWholeAccount { throw error }
            guard error.retry != .never, let pause = RetrySchedule.change.pause(after: change.tries + 1)
            else {
                try await undo(name, because: error)
                return nil
            }
            let next = clock.now + pause
            let isWaiting = try await rewrite(name) { waiting in
                waiting.tries = change.tries + 1
                waiting.nextTryAt = next
                // The service has said no. An answer that makes no sense can mean anything.
                if case .badAnswer = error { return }
                waiting.mayBeThere = change.mayBeThere
            }
            return isWaiting ? next : nil
        }
    }

    /// Saves the progress of a change. Returns whether it is still wanted: it may have been undone while it
    /// was being sent, and must not reappear.
    func rewrite(_ name: String, _ edit: @Sendable (inout PendingChange) -> Void) async throws -> Bool {
        let (changes, _) = try await store.commitNamed(in: account.id) {
            guard var change = try await queue.change(name) else { return [] }
            edit(&change)
            return [try queue.put(change, name: name)]
        }
        return !changes.isEmpty
    }

    private func undo(_ name: String, because error: AccountError) async throws {
        let (changes, _) = try await store.commitNamed(in: account.id, reading: [.email, .mailbox]) {
            let all = try await queue.all()
            guard let current = all.first(where: { $0.name == name })?.change else { return [] }
            let followers = all.filter { $0.change.follows == name }
            let whole = followers.reduce(current) { $0.joined(with: $1.change) }
            let undoing = UndoneChange(whole, account: account, store: store)
            let notice = Notice(
                account: account, text: undoing.sentence + " " + error.sentence, at: clock.now)
            let back = try await unparking(current)
            let end = try back.map { try queue.put($0, name: name) } ?? queue.remove(name)
            let rest = [try notice.change(id: name), end] + followers.map { queue.remove($0.name) }
            return try await undoing.changes() + rest
        }
        guard !changes.isEmpty else { return }
        log.write(.warning, account.pluginID, "A change was refused and undone. \(error.logSentence)")
    }

    /// Whether it is about a message that may yet be recognized at the account's new place.
    private func isAboutUnrecognized(_ change: PendingChange) async throws -> Bool {
        guard case .update(let updates) = change.kind,
            try await FormerPlace.load(account.id, from: store)?.phase == .recognizing
        else { return false }
        let refs = try await store.read.remoteRefs(of: updates.map(\.id), in: account.id)
        return !Set(refs.map(\.emailID)).isSubset(of: refs.current.map(\.emailID))
    }

    private func isUnknown(_ change: PendingChange) async throws -> Bool {
        let ids = change.emailsThatMayBeThere
        guard !unread.isEmpty, !ids.isEmpty else { return false }
        let emails = try await store.read.emails(ids, in: account.id).map(\.email)
        let map = try await RemoteMap.load(account.id, from: store)
        return unread.concern(change.mailboxesItShowsIn(emails), map)
    }

    func attempt(_ change: PendingChange, _ name: String) async throws {
        let map = try await RemoteMap.load(account.id, from: store)
        switch change.kind {
        case .update(let updates): try await update(updates, change, map, name)
        case .destroy(let addresses):
            _ = try await apply([.destroy(addresses)])
            try await finish(name)
        case .append(let id): try await append(id, change, map, name)
        case .createMailbox(let id): try await createMailbox(id, map, name)
        case .renameMailbox(let id, _): try await renameMailbox(id, change, map, name)
        case .deleteMailbox(let id): try await deleteMailbox(id, map, name)
        }
    }

    private func update(
        _ updates: [EmailUpdate], _ change: PendingChange, _ map: RemoteMap, _ name: String
    ) async throws {
        let refs = try await store.read.remoteRefs(of: updates.map(\.id), in: account.id).current
        let nameless = Set(updates.map(\.id)).subtracting(refs.map(\.emailID))
        if !nameless.isEmpty, try await unnamed.isAwaiting(anyOf: nameless) {
            throw UnknownYet(change: change)
        }
        guard !map.features.contains(.labels), updates.contains(where: \.changesMailboxes) else {
            let plan = MutationPlan(refs: refs, map: map)
            let done = try await apply(plan.mutations(for: updates))
            return try await finish(name, done, plan)
        }
        guard change.mayBeThere == true else {
            return try await begin(updates, change, map, name)
        }
        // All mail was read since the last attempt: the emails' places show what has been done. An email that
        // lost its id is gone there; one that never had an id is only local.
        let plan = MutationPlan(refs: refs, map: map)
        let done = try await apply(plan.mutations(for: updates.map(plan.withoutWhatIsDone)))
        let lost = Array(nameless.intersection(change.named ?? []))
        try await store.commitNamed(in: account.id) {
            try await store.read.emails(lost, in: account.id).map {
                StorageChange.destroyEmail($0.email.id, in: account.id)
            }
        }
        try await finish(change, name, done, plan)
    }

    /// Notes that emails are being moved before they are: one that is destroyed from then on is known to have moved.
    private func begin(
        _ updates: [EmailUpdate], _ change: PendingChange, _ map: RemoteMap, _ name: String
    ) async throws {
        let ids = updates.map(\.id)
        var underWay = change
        underWay.mayBeThere = true
        underWay.named = Set(try await store.read.remoteRefs(of: ids, in: account.id).current.map(\.emailID))
        guard try await rewrite(name, { [underWay] in $0 = underWay }) else { return }
        let refs = try await store.read.remoteRefs(of: ids, in: account.id).current
        let plan = MutationPlan(refs: refs, map: map)
        try await finish(underWay, name, try await apply(plan.mutations(for: updates)), plan)
    }

    /// Unnamed moves are read first, because later changes may be about them.
    private func finish(
        _ underWay: PendingChange, _ name: String, _ done: Applied, _ plan: MutationPlan
    ) async throws {
        // A mailbox that is not read tells nothing.
        let isAwaited = done.unnamedMoves.contains { target in
            target.map { plan.map.feed(of: $0) != nil } ?? true
        }
        guard isAwaited, (underWay.waits ?? 0) < Self.mostWaits else {
            return try await finish(name, done, plan)
        }
        try await store.commitNamed(in: account.id) { try await renaming(done, plan, name) }
        throw UnknownYet(change: underWay)
    }

    /// If all mail can be read, it is found, or known to be gone, long before the limit.
    private func waitForName(_ change: PendingChange, _ name: String) async throws -> Date? {
        let waits = change.waits ?? 0
        guard waits < Self.mostWaits, let pause = RetrySchedule.naming.pause(after: waits + 1) else {
            guard case .update(let updates) = change.kind else { return nil }
            try await finish(name, updates.map { unnamed.settled($0.id) })
            return nil
        }
        var waiting = change
        let next = clock.now + pause
        waiting.waits = waits + 1
        waiting.nextTryAt = next
        return try await rewrite(name) { [waiting] in $0 = waiting } ? next : nil
    }

    static func checked(_ outcome: MutationOutcome?) throws -> MutationOutcome {
        switch outcome {
        case .done: return outcome ?? .notTried
        case .failed(let error): throw error
        case .refused(let error): throw RefusedMutation(error)
        case .notTried, nil: throw AccountError.offline
        }
    }

    func finish(_ name: String, _ changes: [StorageChange] = []) async throws {
        try await store.commit(changes + [queue.remove(name)])
    }

    private func finish(_ name: String, _ done: Applied, _ plan: MutationPlan) async throws {
        try await store.commitNamed(in: account.id) {
            try await renaming(done, plan, name) + [queue.remove(name)]
        }
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
