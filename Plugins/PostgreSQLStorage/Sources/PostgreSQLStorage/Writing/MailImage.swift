import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Where an email is and how it is marked: all of it that can change without replacing it.
struct EmailPlace: Equatable {
    var thread: Id<EmailThread>
    var received: Date
    var mailboxes: Set<Id<Mailbox>>
    var keywords: Set<Keyword>

    var isUnread: Bool { !keywords.contains(.seen) && !keywords.contains(.draft) }
}

/// The emails that a commit touches, as they were and as they become.
///
/// Emails are read by whole threads: whatever is here of a thread is all of it. So threads and counts can be compared at
/// the end without reading more.
final class MailImage {
    private let connection: Connection
    private let account: Int
    private(set) var former: [Id<Email>: EmailPlace] = [:]
    private(set) var emails: [Id<Email>: EmailPlace] = [:]
    private(set) var threads: [Id<EmailThread>: Set<Id<Email>>] = [:]
    /// The emails and threads that were looked for, whether there are such or not.
    private var knownEmails: Set<Id<Email>> = []
    private(set) var knownThreads: Set<Id<EmailThread>> = []

    init(_ connection: Connection, _ account: Int) {
        self.connection = connection
        self.account = account
    }

    func set(_ id: Id<Email>, _ place: EmailPlace?) {
        knownEmails.insert(id)
        if let old = emails[id] { threads[old.thread]?.remove(id) }
        emails[id] = place
        if let place {
            threads[place.thread, default: []].insert(id)
            knownThreads.insert(place.thread)
        }
    }

    func email(_ id: Id<Email>) throws(StorageError) -> EmailPlace? {
        try load(emails: [id])
        return emails[id]
    }

    /// The members of a thread as they were, or as they are by now, oldest first.
    static func contents(
        _ ids: some Sequence<Id<Email>>, of places: [Id<Email>: EmailPlace]
    ) -> ThreadContents<Id<Mailbox>> {
        let members = ids.compactMap { id in places[id].map { (id: id, place: $0) } }
            .sorted { ($0.place.received, $0.id) < ($1.place.received, $1.id) }
        return ThreadContents(
            members.map {
                .init(email: $0.id, isUnread: $0.place.isUnread, mailboxes: Array($0.place.mailboxes))
            })
    }
}

// MARK: Reading

extension MailImage {
    /// Emails that were asked for.
    struct Asked {
        fileprivate let question: Question
        fileprivate let emails: Set<Id<Email>>
    }

    /// Nil if they are known.
    func ask(emails ids: some Sequence<Id<Email>>) throws(StorageError) -> Asked? {
        let missing = Set(ids).subtracting(knownEmails)
        guard !missing.isEmpty else { return nil }
        let question = try ask(
            where: "thread IN (SELECT thread FROM email WHERE account = $1 AND id = ANY ($2))", .ids(missing))
        return Asked(question: question, emails: missing)
    }

    func load(_ asked: Asked?) throws(StorageError) {
        guard let asked else { return }
        try note(asked.question)
        knownEmails.formUnion(asked.emails)
    }

    func load(emails ids: some Sequence<Id<Email>>) throws(StorageError) { try load(try ask(emails: ids)) }

    func load(threads ids: some Sequence<Id<EmailThread>>) throws(StorageError) {
        let missing = Set(ids).subtracting(knownThreads)
        guard !missing.isEmpty else { return }
        try load(where: "thread = ANY ($2)", .ids(missing))
        knownThreads.formUnion(missing)
    }

    func load(mailbox: Id<Mailbox>) throws(StorageError) {
        try load(
            where: """
                thread IN (SELECT e.thread FROM email_mailbox m
                    JOIN email e ON e.account = m.account AND e.id = m.id WHERE m.account = $1 AND m.mailbox = $2)
                """, .id(mailbox))
    }

    func loadAll() throws(StorageError) { try load(where: "$2", .flag(true)) }

    private func load(where condition: String, _ value: SQLValue) throws(StorageError) {
        try note(try ask(where: condition, value))
    }

    private func ask(where condition: String, _ value: SQLValue) throws(StorageError) -> Question {
        try connection.ask(
            "SELECT id, thread, received, mailboxes, keywords FROM email WHERE account = $1 AND \(condition)",
            [.integer(account), value])
    }

    private func note(_ asked: Question) throws(StorageError) {
        let found = try connection.rows(asked) { row in
            let place = EmailPlace(
                thread: row.id(1), received: row.date(2), mailboxes: Set(row.texts(3).map { Id($0) }),
                keywords: Set(row.texts(4).map { Keyword(rawValue: $0) }))
            return (id: row.id(0) as Id<Email>, place: place)
        }
        for (id, place) in found {
            knownThreads.insert(place.thread)
            guard former[id] == nil, !knownEmails.contains(id) else { continue }
            former[id] = place
            set(id, place)
        }
    }
}
