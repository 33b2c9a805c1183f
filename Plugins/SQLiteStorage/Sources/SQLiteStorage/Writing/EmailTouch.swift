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
    struct Former: Equatable {
        var core: Data
        var threadID: String
        var mailboxes: [String]
        var keywords: [String]
    }

    struct Body: Equatable {
        var headers: Data
        var content: Data
    }

    /// Nil if it was not there.
    var former: Former?
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

    func existing(_ id: Id<Email>) throws(StorageError) -> EmailPlace {
        guard let place = try place(of: id) else { throw .notFound("email \(id)") }
        try remember(place)
        return place
    }

    /// Notes what an email is before the first change of it.
    func remember(_ place: EmailPlace) throws(StorageError) {
        guard emails[place.id] == nil else { return }
        emails[place.id] = EmailTouch(former: try present(place.row), isThere: true)
    }

    /// Notes the body, too, before it is replaced or removed.
    func rememberBody(_ place: EmailPlace) throws(StorageError) {
        guard let touch = emails[place.id], touch.former != nil, touch.formerBody == nil else { return }
        emails[place.id]?.formerBody = try presentBody(place.row)
    }

    private func present(_ email: Int64) throws(StorageError) -> EmailTouch.Former? {
        let core = try database.first(
            """
            SELECT b.core, t.id FROM email e JOIN thread t ON t.row = e.thread
            JOIN email_body b ON b.email = e.row WHERE e.row = ?
            """, [.integer(email)]
        ) { ($0.data(0), $0.text(1)) }
        guard let core else { return nil }
        return EmailTouch.Former(
            core: core.0, threadID: core.1,
            mailboxes: try database.mailboxIDs(ofEmail: email).map(\.rawValue),
            keywords: try database.keywords(ofEmail: email).map(\.rawValue))
    }

    private func presentBody(_ email: Int64) throws(StorageError) -> EmailTouch.Body? {
        try database.first("SELECT headers, content FROM email_body WHERE email = ?", [.integer(email)]) {
            EmailTouch.Body(headers: $0.data(0), content: $0.data(1))
        }
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
        guard let email = try database.emailRow(id, account: row), try present(email) == touch.former else {
            return false
        }
        guard let formerBody = touch.formerBody else { return true }
        return try presentBody(email) == formerBody
    }
}
