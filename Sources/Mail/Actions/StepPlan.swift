import FoundationEssentials
import MailKernelAPI
import Store

/// The changes that one step of an action makes to the current mail.
struct StepPlan: Sendable {
    private(set) var updates: [EmailUpdate] = []
    private(set) var doomed: [Id<Email>] = []
    private(set) var snoozes: [SnoozeChange] = []
    private(set) var reminders: [ReminderChange] = []
    private(set) var refused = 0
    private(set) var refusal: String?

    init(
        _ verb: MailVerb, _ target: StepTarget, in accountID: Id<Account>, _ store: MailStore,
        _ mail: MailActions
    ) async throws {
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let places = Places(
            mailboxes: Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first },
            hasLabels: try await mail.features(of: accountID).contains(.labels))
        let beingSent = verb == .destroy ? try await mail.beingSent(in: accountID) : []
        let rights = MailRights(places.mailboxes, beingSent: beingSent)
        if verb.concernsReminders {
            try await remind(verb, target, in: accountID, places, store, now: mail.clock.now)
            return
        }
        let conversations = try await Self.emails(of: target, in: accountID, store)
        var meaning = ActionMeaning(verb: verb, places: places)
        if verb.concernsSnoozes {
            let ids = conversations.joined().map(\.id)
            meaning.snoozes = try await Snooze.known(of: ids, in: accountID, store)
        }
        for emails in conversations {
            let conversation = Conversation(emails: emails, mailboxID: target.mailboxID, places: places)
            if verb == .destroy {
                destroy(conversation, isWhole: target.isOfEmails, rights)
            } else {
                let wanted = try meaning.updates(of: conversation)
                let isDone = add(wanted.filter { !$0.isEmpty }, of: emails, rights)
                guard isDone, verb.concernsSnoozes, let newest = emails.map(\.receivedAt).max() else {
                    continue
                }
                let others = target.isOfEmails ? try await Self.newest(beside: emails[0], store) : nil
                try note(wanted.map(\.id), max(newest, others ?? newest), meaning)
            }
        }
    }

    /// The number of messages that it changes, or whose snooze or reminder.
    var changed: Int {
        Set(updates.map(\.id)).union(snoozes.map(\.emailID)).count + doomed.count + reminders.count
    }

    private mutating func remind(
        _ verb: MailVerb, _ target: StepTarget, in accountID: Id<Account>, _ places: Places,
        _ store: MailStore, now: Date
    ) async throws {
        var plan = try await ReminderPlan(in: accountID, places, store, now: now)
        for emails in try await Self.emails(of: target, in: accountID, store) {
            try await plan.plan(emails, until: verb.until)
        }
        reminders = plan.changes
        for reason in plan.refusals { refuse(reason) }
    }

    private mutating func note(
        _ ids: [Id<Email>], _ newest: Date, _ meaning: ActionMeaning
    ) throws(ActionProblem) {
        for id in ids {
            let before = meaning.snoozes[id]
            var after: Snooze?
            if let until = meaning.verb.until {
                let place = try meaning.snoozePlace()
                after = Snooze(
                    emailID: id, accountID: place.accountID, until: until, mailboxID: place.id, newest: newest
                )
            }
            if before != after { snoozes.append(SnoozeChange(emailID: id, before: before, after: after)) }
        }
    }

    /// When the newest message of an email's conversation was received.
    private static func newest(beside email: Email, _ store: MailStore) async throws(StorageError) -> Date? {
        let stored = try await store.read.emails([email.id], in: email.accountID).first
        guard let threadID = stored?.threadID else { return nil }
        let ids = try await store.read.threads([threadID], in: email.accountID).flatMap(\.emailIDs)
        return try await store.read.emails(ids, in: email.accountID).map(\.email.receivedAt).max()
    }

    /// A conversation is moved as a whole or not at all; keywords are set on all messages that allow it. Returns whether
    /// it was not refused.
    private mutating func add(_ wanted: [EmailUpdate], of emails: [Email], _ rights: MailRights) -> Bool {
        let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
        var allowed: [EmailUpdate] = []
        for update in wanted {
            guard let email = byID[update.id] else { continue }
            if let reason = rights.refusal(of: update, on: email) {
                refuse(reason)
            } else {
                allowed.append(update)
            }
        }
        let isMove = wanted.contains { !$0.addMailboxes.isEmpty || !$0.removeMailboxes.isEmpty }
        guard !isMove || allowed.count == wanted.count else { return false }
        updates += allowed
        return true
    }

    private mutating func destroy(_ conversation: Conversation, isWhole: Bool, _ rights: MailRights) {
        for email in isWhole ? conversation.emails : conversation.doomed {
            if let reason = rights.refusalOfDestroying(email) {
                refuse(reason)
            } else {
                doomed.append(email.id)
            }
        }
    }

    private mutating func refuse(_ reason: String) {
        refused += 1
        refusal = refusal ?? reason
    }

    /// The emails grouped by conversation, oldest first; ungrouped if the target is a list of emails.
    private static func emails(
        of target: StepTarget, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [[Email]] {
        switch target.units {
        case .emails(let ids):
            return try await store.manyEmails(ids, in: accountID).map { [$0.email] }
        case .threads(let ids):
            let threads = try await store.read.threads(ids, in: accountID)
            // In one call: each one takes a turn of a reader, or a trip to a server.
            let all = try await store.manyEmails(threads.flatMap(\.emailIDs), in: accountID).map(\.email)
            let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
            return threads.map { $0.emailIDs.compactMap { byID[$0] } }
        }
    }
}

extension StepTarget {
    fileprivate var isOfEmails: Bool {
        if case .emails = units { true } else { false }
    }
}
