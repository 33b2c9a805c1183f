import FoundationEssentials
import MailKernelAPI
import Store

/// Returns an account's due messages to the inbox, each in one commit with the end of its snooze: so it happens once.
struct Waking {
    let accountID: Id<Account>
    /// The view of the store for looking after the account.
    let store: MailStore
    let mail: MailActions
    let now: Date

    /// While changes are on their way to the service, an interrupted move can make a message appear in a place that it
    /// is leaving. So its snooze ends only once it is known where it is.
    private static let untilAtRest = 4.0

    /// - Parameter withMail: whether mail has arrived, which may end snoozes.
    /// - Returns: when to look again.
    func wake(withMail: Bool) async throws -> Date? {
        while true {
            let states = try await states()
            let snoozes = try await Snooze.all(in: accountID, store)
            guard !snoozes.isEmpty else { return nil }
            let inTime = Set(snoozes.values.filter { $0.until <= now }.map(\.emailID))
            let due = inTime.union(withMail ? try await answered(snoozes) : [])
            var next = snoozes.values.filter { !due.contains($0.emailID) }.map(\.until).min()
            guard !due.isEmpty else { return next }
            let updates = try await updates(of: due, snoozes, unread: inTime)
            let isAtRest = try await isAtRest
            let ended = isAtRest ? due : due.intersection(updates.map(\.id))
            if ended.count < due.count { next = now.addingTimeInterval(Self.untilAtRest) }
            do {
                try await mail.with(store.expecting(states)).update(
                    updates, in: accountID,
                    with: ended.map { .destroyDocument(Snooze.key(of: $0, in: accountID)) })
                return next
            } catch StorageError.stateMismatch {
                try Task.checkCancellation()
            }
        }
    }

    private var isAtRest: Bool {
        get async throws {
            let queue = PendingChanges(store: store, accountID: accountID)
            guard try await queue.isEmpty else { return false }
            return try await !UnnamedEmails(store: store, accountID: accountID).isAwaitingAny
        }
    }

    /// The messages that a newer one of the same conversation has reached the inbox for.
    private func answered(_ snoozes: [Id<Email>: Snooze]) async throws -> Set<Id<Email>> {
        let places = try await places()
        let inboxes = places.all([.inbox])
        let stored = try await store.read.emails(Array(snoozes.keys), in: accountID)
        var answered: Set<Id<Email>> = []
        for (threadID, sleeping) in Dictionary(grouping: stored, by: \.threadID) {
            let all = try await store.read.threads([threadID], in: accountID).flatMap(\.emailIDs)
            let newest = try await store.read.emails(all, in: accountID).map(\.email)
                .filter { !$0.mailboxIDs.isDisjoint(with: inboxes) }.map(\.receivedAt).max()
            guard let newest else { continue }
            let ids = sleeping.map(\.email.id)
            answered.formUnion(ids.filter { id in snoozes[id].map { $0.newest < newest } ?? false })
        }
        return answered
    }

    /// A message that was moved on since stays where it is. The newest of each conversation whose time has come becomes
    /// unread: so it is noticed, also in other mail programs.
    private func updates(
        of due: Set<Id<Email>>, _ snoozes: [Id<Email>: Snooze], unread inTime: Set<Id<Email>>
    ) async throws -> [EmailUpdate] {
        let places = try await places()
        guard let inbox = places.first(.inbox) else {
            throw ActionProblem(sentence: "There is no Inbox in this account.")
        }
        let messages = SnoozedMessages(snoozes: snoozes, places: places)
        let asleep = try await store.read.emails(due.sorted(), in: accountID)
            .filter { messages.isAsleep($0.email) }
        let threads = Dictionary(grouping: asleep.map { ($0.threadID, $0.email) }, by: \.0).values
        let newest = Set(
            threads.compactMap { thread in
                thread.map(\.1).max { ($0.receivedAt, $0.id) < ($1.receivedAt, $1.id) }?.id
            })
        return asleep.map { stored in
            var update = messages.waking(stored.email, to: inbox)
            let isUnread = inTime.contains(stored.email.id) && newest.contains(stored.email.id)
            if isUnread, stored.email.keywords.contains(.seen) { update.removeKeywords = [.seen] }
            return update
        }
    }

    /// A concurrent change of either is looked at again.
    private func states() async throws -> [ChangeSet.Precondition] {
        let email = try await store.read.state(of: .email, in: accountID)
        let snooze = try await store.read.state(of: Snooze.dataType, in: accountID)
        return [.init(.email, in: accountID, is: email), .init(Snooze.dataType, in: accountID, is: snooze)]
    }

    private func places() async throws -> Places {
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        return Places(
            mailboxes: Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first },
            hasLabels: try await mail.features(of: accountID).contains(.labels))
    }
}

extension MailActions {
    func with(_ store: MailStore) -> MailActions {
        MailActions(store: store, services: services, blobs: blobs, ids: ids, clock: clock)
    }
}
