import FoundationEssentials
import MailKernelAPI
import StoreRules

/// What brings emails into threads, for the emails that a commit puts: see `Threading`.
///
/// A thread's id is the smallest id of the emails it ever contained, if it was free. If email ids grow over time, as the
/// kernel's do, a thread keeps its first id; the ids are the same for any order of arrival.
final class ThreadImage {
    /// A time in which emails of one thread with one key came, none more than the window apart.
    struct Stretch: Hashable {
        var thread: Id<EmailThread>
        var first: Date
        var last: Date

        static let window = Double(Threading.subjectWindowDays) * 86_400

        func isNear(_ date: Date) -> Bool {
            date.timeIntervalSince(first) >= -Self.window && date.timeIntervalSince(last) <= Self.window
        }
    }

    /// What happens to all that is remembered of a thread, in the order in which it happens.
    enum Step {
        case rename(Id<EmailThread>, to: Id<EmailThread>)
        case forget(Id<EmailThread>)
    }

    private let mail: MailImage
    private(set) var threadOfMessage: [String: Id<EmailThread>] = [:]
    private(set) var newMessages: Set<String> = []
    private(set) var stretches: [String: Set<Stretch>] = [:]
    /// As they are in the database once the steps are done.
    private(set) var storedStretches: [String: Set<Stretch>] = [:]
    private(set) var steps: [Step] = []

    init(_ mail: MailImage) {
        self.mail = mail
    }

    /// The thread of an email that is put, which may merge others into it. A replaced email stays in its thread: its
    /// new headers can only add connections.
    func join(_ email: Email, current: Id<EmailThread>?) throws(StorageError) -> Id<EmailThread> {
        let messages = email.header.connectedMessages.map(IndexKey.of)
        var related = Set(messages.compactMap { threadOfMessage[$0] })
        if let current { related.insert(current) }
        let link = SubjectLink(email.header)
        for key in link?.connectedKeys.map(IndexKey.of) ?? [] {
            related.formUnion((stretches[key] ?? []).filter { $0.isNear(email.receivedAt) }.map(\.thread))
        }
        let thread = try target(for: email.id, isNew: current == nil, among: related)
        for other in related.sorted() where other != thread { merge(other, into: thread) }
        for message in messages {
            threadOfMessage[message] = thread
            newMessages.insert(message)
        }
        for key in link?.ownKeys.map(IndexKey.of) ?? [] { note(key, at: email.receivedAt, for: thread) }
        return thread
    }

    /// The last email of a thread takes with it all that the thread remembers.
    func forget(_ thread: Id<EmailThread>) {
        steps.append(.forget(thread))
        threadOfMessage = threadOfMessage.filter { $0.value != thread }
        stretches = stretches.mapValues { $0.filter { $0.thread != thread } }
        storedStretches = storedStretches.mapValues { $0.filter { $0.thread != thread } }
    }

    private func target(
        for email: Id<Email>, isNew: Bool, among related: Set<Id<EmailThread>>
    ) throws(StorageError) -> Id<EmailThread> {
        var own = Id<EmailThread>(email.rawValue)
        guard let smallest = related.min() else {
            // Taken by the former thread of an email that had this id and was removed.
            while try isThere(own) { own = Id(own.rawValue + "_") }
            return own
        }
        guard isNew, own < smallest, try !isThere(own) else { return smallest }
        return own
    }

    private func isThere(_ thread: Id<EmailThread>) throws(StorageError) -> Bool {
        try mail.load(threads: [thread])
        return !(mail.threads[thread] ?? []).isEmpty
    }

    private func merge(_ other: Id<EmailThread>, into thread: Id<EmailThread>) {
        for id in mail.threads[other] ?? [] {
            guard var place = mail.emails[id] else { continue }
            place.thread = thread
            mail.set(id, place)
        }
        steps.append(.rename(other, to: thread))
        threadOfMessage = threadOfMessage.mapValues { $0 == other ? thread : $0 }
        stretches = stretches.mapValues { Self.renamed($0, other, to: thread) }
        storedStretches = storedStretches.mapValues { Self.renamed($0, other, to: thread) }
    }

    private static func renamed(
        _ stretches: Set<Stretch>, _ old: Id<EmailThread>, to new: Id<EmailThread>
    ) -> Set<Stretch> {
        Set(stretches.map { $0.thread == old ? Stretch(thread: new, first: $0.first, last: $0.last) : $0 })
    }

    /// Stretches of one thread that the date brings within the window of each other become one.
    private func note(_ key: String, at date: Date, for thread: Id<EmailThread>) {
        let near = (stretches[key] ?? []).filter { $0.thread == thread && $0.isNear(date) }
        let dates = near.flatMap { [$0.first, $0.last] } + [date]
        let one = Stretch(thread: thread, first: dates.min() ?? date, last: dates.max() ?? date)
        stretches[key] = (stretches[key] ?? []).subtracting(near).union([one])
    }
}

// MARK: Reading

extension ThreadImage {
    /// What can connect some emails, asked for.
    struct Asked {
        fileprivate let emails: [Email]
        fileprivate let messages: Question
        fileprivate let stretches: Question
    }

    /// Asks for all that can connect these emails; nil if there are none.
    static func ask(
        for emails: [Email], _ connection: Connection, _ account: Int
    ) throws(StorageError) -> Asked? {
        guard !emails.isEmpty else { return nil }
        let messages = Set(emails.flatMap { $0.header.connectedMessages.map(IndexKey.of) })
        let keys = emails.flatMap { email in
            let link = SubjectLink(email.header)
            return Set((link?.connectedKeys ?? []) + (link?.ownKeys ?? [])).map {
                (IndexKey.of($0), email.receivedAt)
            }
        }
        return Asked(
            emails: emails,
            messages: try connection.ask(
                "SELECT message, thread FROM thread_message WHERE account = $1 AND message = ANY ($2)",
                [.integer(account), .strings(messages)]),
            stretches: try connection.ask(
                """
                SELECT DISTINCT s.key, s.thread, s.first, s.last
                FROM unnest($2::bytea[], $3::double precision[], $4::double precision[]) AS w (key, least, most)
                CROSS JOIN LATERAL (
                    SELECT * FROM thread_stretch t
                    WHERE t.account = $1 AND t.key = w.key AND t.last >= w.least AND t.first <= w.most OFFSET 0) s
                """,
                [
                    .integer(account), .strings(keys.map(\.0)),
                    .reals(keys.map { $0.1.timeIntervalSinceReferenceDate - Stretch.window }),
                    .reals(keys.map { $0.1.timeIntervalSinceReferenceDate + Stretch.window }),
                ]))
    }

    func load(_ asked: Asked?, _ connection: Connection) throws(StorageError) {
        guard let asked else { return }
        for (message, thread) in try connection.rows(
            asked.messages, { ($0.text(0), $0.id(1) as Id<EmailThread>) })
        {
            threadOfMessage[message] = thread
        }
        for (key, stretch) in try connection.rows(
            asked.stretches,
            { ($0.text(0), Stretch(thread: $0.id(1), first: $0.date(2), last: $0.date(3))) })
        {
            stretches[key, default: []].insert(stretch)
        }
        storedStretches = stretches
        let threads = Set(threadOfMessage.values).union(stretches.values.joined().map(\.thread))
        try mail.load(threads: threads.union(asked.emails.map { Id($0.id.rawValue) }))
    }
}

// MARK: Writing

extension ThreadImage {
    func write(_ connection: Connection, _ account: Int) throws(StorageError) {
        for step in steps { try write(step, connection, account) }
        let messages = newMessages.compactMap { message in threadOfMessage[message].map { (message, $0) } }
        if !messages.isEmpty {
            try connection.send(
                """
                INSERT INTO thread_message SELECT $1, * FROM unnest($2::bytea[], $3::bytea[])
                ON CONFLICT (account, message) DO UPDATE SET thread = excluded.thread
                """, .integer(account), .strings(messages.map(\.0)), .ids(messages.map(\.1)))
        }
        try writeStretches(connection, account)
    }

    private func write(_ step: Step, _ connection: Connection, _ account: Int) throws(StorageError) {
        for table in ["thread_message", "thread_stretch"] {
            switch step {
            case .rename(let old, let new):
                try connection.send(
                    "UPDATE \(table) SET thread = $3 WHERE account = $1 AND thread = $2", .integer(account),
                    .id(old), .id(new))
            case .forget(let thread):
                try connection.send(
                    "DELETE FROM \(table) WHERE account = $1 AND thread = $2", .integer(account), .id(thread))
            }
        }
    }

    private func writeStretches(_ connection: Connection, _ account: Int) throws(StorageError) {
        var new: [(key: String, stretch: Stretch)] = []
        for key in stretches.keys.sorted() {
            let (now, stored) = (stretches[key] ?? [], storedStretches[key] ?? [])
            for stretch in stored.subtracting(now) {
                try connection.send(
                    """
                    DELETE FROM thread_stretch WHERE account = $1 AND key = $2 AND thread = $3 AND first = $4 AND last = $5
                    """, .integer(account), .string(key), .id(stretch.thread), .date(stretch.first),
                    .date(stretch.last))
            }
            new += now.subtracting(stored).map { (key, $0) }
        }
        guard !new.isEmpty else { return }
        try connection.send(
            """
            INSERT INTO thread_stretch SELECT $1, *
            FROM unnest($2::bytea[], $3::bytea[], $4::double precision[], $5::double precision[])
            """, .integer(account), .strings(new.map(\.key)), .ids(new.map(\.stretch.thread)),
            .reals(new.map { $0.stretch.first.timeIntervalSinceReferenceDate }),
            .reals(new.map { $0.stretch.last.timeIntervalSinceReferenceDate }))
    }
}
