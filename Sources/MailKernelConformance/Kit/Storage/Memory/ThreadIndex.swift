import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The threads of one account, as `Threading` defines them.
///
/// A thread's id is the smallest id of the emails that it ever held, as far as it was free. Where
/// email ids grow with time, as the kernel's do, a thread keeps the id that it began with; whatever
/// order emails come in, the ids end up the same.
///
/// A thread remembers all that connected its emails until the last of them has gone. So removing an
/// email does not split it, and it does not matter whether an email came before or after another's
/// removal.
struct ThreadIndex: Sendable {
    private struct Conversation {
        var emailIDs: Set<Id<Email>> = []
        var messageIDs: Set<String> = []
        var subjects: Set<String> = []
    }

    /// A stretch of time in which emails of one thread with one key came, none more than the window apart.
    private struct Stretch {
        var dates: ClosedRange<Date>
        var threadID: Id<EmailThread>
    }

    /// What became of the threads when an email was added.
    struct Placement {
        var threadID: Id<EmailThread>
        /// Threads that are no more, with the emails that have moved into `threadID`.
        var merged: [(threadID: Id<EmailThread>, emailIDs: Set<Id<Email>>)] = []
    }

    private var conversations: [Id<EmailThread>: Conversation] = [:]
    private var threadOfMessage: [String: Id<EmailThread>] = [:]
    private var stretches: [String: [Stretch]] = [:]

    var ids: Set<Id<EmailThread>> { Set(conversations.keys) }

    func emailIDs(of id: Id<EmailThread>) -> Set<Id<Email>>? {
        conversations[id]?.emailIDs
    }

    /// Adds an email, or one that has been replaced and was in `current`: it stays with those it was
    /// with, and what it says now may only bring more together.
    mutating func add(_ email: Email, current: Id<EmailThread>?) -> Placement {
        let messageIDs = email.header.connectedMessages
        var related = Set(messageIDs.compactMap { threadOfMessage[$0] })
        if let current { related.insert(current) }
        let link = SubjectLink(email.header)
        if let link { related.formUnion(threads(around: email.receivedAt, link)) }

        var placement = Placement(threadID: threadID(for: email.id, isNew: current == nil, among: related))
        for other in related.sorted() where other != placement.threadID {
            placement.merged.append((other, merge(other, into: placement.threadID)))
        }
        conversations[placement.threadID, default: Conversation()].emailIDs.insert(email.id)
        conversations[placement.threadID]?.messageIDs.formUnion(messageIDs)
        for messageID in messageIDs { threadOfMessage[messageID] = placement.threadID }
        if let link { note(link, at: email.receivedAt, for: placement.threadID) }
        return placement
    }

    mutating func remove(_ emailID: Id<Email>, from threadID: Id<EmailThread>) {
        conversations[threadID]?.emailIDs.remove(emailID)
        guard let conversation = conversations[threadID], conversation.emailIDs.isEmpty else { return }
        for messageID in conversation.messageIDs { threadOfMessage[messageID] = nil }
        for subject in conversation.subjects {
            let others = stretches[subject]?.filter { $0.threadID != threadID } ?? []
            stretches[subject] = others.isEmpty ? nil : others
        }
        conversations[threadID] = nil
    }

    private func threadID(
        for emailID: Id<Email>, isNew: Bool, among related: Set<Id<EmailThread>>
    ) -> Id<EmailThread> {
        var own = Id<EmailThread>(emailID.rawValue)
        guard let smallest = related.min() else {
            // Taken by the former thread of an email that had this id and was removed.
            while conversations[own] != nil { own = Id(own.rawValue + "_") }
            return own
        }
        return isNew && own < smallest && conversations[own] == nil ? own : smallest
    }

    private mutating func merge(
        _ other: Id<EmailThread>, into threadID: Id<EmailThread>
    ) -> Set<Id<Email>> {
        guard let moved = conversations.removeValue(forKey: other) else { return [] }
        for messageID in moved.messageIDs { threadOfMessage[messageID] = threadID }
        for subject in moved.subjects {
            stretches[subject] = stretches[subject]?.map { stretch in
                stretch.threadID == other ? Stretch(dates: stretch.dates, threadID: threadID) : stretch
            }
        }
        conversations[threadID, default: Conversation()].emailIDs.formUnion(moved.emailIDs)
        conversations[threadID]?.messageIDs.formUnion(moved.messageIDs)
        conversations[threadID]?.subjects.formUnion(moved.subjects)
        return moved.emailIDs
    }
}

// MARK: Subjects

extension ThreadIndex {
    private static let window = Double(Threading.subjectWindowDays) * 86_400

    private static func isNear(_ date: Date, _ dates: ClosedRange<Date>) -> Bool {
        date.timeIntervalSince(dates.lowerBound) >= -window
            && date.timeIntervalSince(dates.upperBound) <= window
    }

    private func threads(around date: Date, _ link: SubjectLink) -> [Id<EmailThread>] {
        link.connectedKeys.flatMap { stretches[$0] ?? [] }.filter { Self.isNear(date, $0.dates) }
            .map(\.threadID)
    }

    private mutating func note(_ link: SubjectLink, at date: Date, for threadID: Id<EmailThread>) {
        for key in link.ownKeys { note(key, at: date, for: threadID) }
    }

    /// Stretches of one thread that the date brings within the window of each other become one.
    private mutating func note(_ key: String, at date: Date, for threadID: Id<EmailThread>) {
        let all = stretches[key] ?? []
        let isMerged = { (stretch: Stretch) in
            stretch.threadID == threadID && Self.isNear(date, stretch.dates)
        }
        let near = all.filter(isMerged)
        let first = near.map(\.dates.lowerBound).min().map { min($0, date) } ?? date
        let last = near.map(\.dates.upperBound).max().map { max($0, date) } ?? date
        stretches[key] =
            all.filter { !isMerged($0) } + [Stretch(dates: first...last, threadID: threadID)]
        conversations[threadID]?.subjects.insert(key)
    }
}
