import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Where an email is, as far as writing needs it.
struct EmailPlace {
    var id: Id<Email>
    var row: Int64
    var thread: Int64
    var threadID: Id<EmailThread>
}

/// What an email was before the first change of it.
struct EmailTouch {
    /// The parts of an email that can change while its message stays the same.
    struct Marks: Equatable {
        var threadID: Id<EmailThread>
        var mailboxes: Set<Id<Mailbox>>
        var keywords: Set<Keyword>
    }

    /// Its message.
    struct Body: Equatable {
        var core: Data
        var headers: Data
        var content: Data
    }

    /// Nil if it was not there.
    var former: Marks?
    /// What they are now, as long as only updates changed them: large actions are many updates, and need not read
    /// again what they have just written. Nil if that has to be read.
    var now: Marks?
    /// Read only when the email is replaced or removed: nothing else changes it.
    var formerBody: Body?
    var isThere: Bool
}

extension AccountCommit {
    func place(of id: Id<Email>) throws(StorageError) -> EmailPlace? {
        try database.first(
            """
            SELECT e.row, e.thread, t.id FROM email e JOIN thread t ON t.row = e.thread
            WHERE e.account = ? AND e.id = ?
            """, [.integer(row), .id(id)]
        ) { EmailPlace(id: id, row: $0.int64(0), thread: $0.int64(1), threadID: $0.id(2)) }
    }

    /// An email that is about to change in ways that its marks do not follow.
    func existing(_ id: Id<Email>) throws(StorageError) -> EmailPlace {
        guard let place = try place(of: id) else { throw .notFound("email \(id)") }
        try remember(place)
        return place
    }

    /// Notes what an email is before the first change of it, and that it has to be read again after this one.
    func remember(_ place: EmailPlace) throws(StorageError) {
        if emails[place.id] == nil {
            emails[place.id] = EmailTouch(former: try marks(of: place), isThere: true)
        }
        emails[place.id]?.now = nil
    }

    /// The marks of an email that is about to be updated, noted before the first change of it.
    func currentMarks(of place: EmailPlace) throws(StorageError) -> EmailTouch.Marks {
        if let now = emails[place.id]?.now { return now }
        let marks = try marks(of: place)
        if emails[place.id] == nil { emails[place.id] = EmailTouch(former: marks, isThere: true) }
        return marks
    }

    /// Notes the message, too, before it is replaced or removed.
    func rememberBody(_ place: EmailPlace) throws(StorageError) {
        guard let touch = emails[place.id], touch.former != nil, touch.formerBody == nil else { return }
        emails[place.id]?.formerBody = try body(of: place.row)
    }

    private func marks(of place: EmailPlace) throws(StorageError) -> EmailTouch.Marks {
        let (mailboxes, keywords) = try database.marks(ofEmail: place.row)
        return EmailTouch.Marks(threadID: place.threadID, mailboxes: mailboxes, keywords: keywords)
    }

    private func body(of email: Int64) throws(StorageError) -> EmailTouch.Body? {
        try database.first(
            "SELECT core, headers, content FROM email_body WHERE email = ?", [.integer(email)]
        ) { EmailTouch.Body(core: $0.data(0), headers: $0.data(1), content: $0.data(2)) }
    }

    func emailDifferences() throws(StorageError) -> [ChangeLog.Difference] {
        var differences: [ChangeLog.Difference] = []
        for (id, touch) in emails.sorted(by: { $0.key < $1.key }) {
            guard let kind = ChangeLog.Kind(wasThere: touch.former != nil, isThere: touch.isThere) else {
                continue
            }
            if kind == .updated, try isSame(id, touch) { continue }
            differences.append(.init(type: .email, id: id.rawValue, kind: kind))
        }
        return differences
    }

    private func isSame(_ id: Id<Email>, _ touch: EmailTouch) throws(StorageError) -> Bool {
        if let now = touch.now, touch.formerBody == nil { return now == touch.former }
        guard let place = try place(of: id), try marks(of: place) == touch.former else { return false }
        guard let formerBody = touch.formerBody else { return true }
        return try body(of: place.row) == formerBody
    }
}
