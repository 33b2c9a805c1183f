import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The changes of a commit to the emails of one account.
struct EmailChanges {
    let mail: MailImage
    let account: Int
    let connection: Connection
    private var put: [Id<Email>: PackedMessage] = [:]

    init(_ mail: MailImage, _ account: Int, _ connection: Connection) {
        self.mail = mail
        self.account = account
        self.connection = connection
    }

    mutating func put(_ message: PackedMessage?, _ id: Id<Email>) { put[id] = message }

    mutating func differences() throws(StorageError) -> [RecordChange] {
        try dropUnchanged()
        var differences: [RecordChange] = []
        for id in Set(mail.former.keys).union(mail.emails.keys).sorted() {
            let (old, new) = (mail.former[id], mail.emails[id])
            guard old != new || put[id] != nil,
                let kind = RecordChange.Kind(wasThere: old != nil, isThere: new != nil)
            else { continue }
            differences.append(RecordChange(type: .email, id: id.rawValue, kind: kind))
        }
        return differences
    }

    func threadDifferences() -> [RecordChange] {
        let before = Dictionary(grouping: mail.former.keys) { mail.former[$0]?.thread ?? Id("") }
        return Set(before.keys).union(mail.threads.keys).sorted().compactMap { id in
            let old = MailImage.contents(before[id] ?? [], of: mail.former).members.map(\.email)
            let new = MailImage.contents(mail.threads[id] ?? [], of: mail.emails).members.map(\.email)
            guard old != new, let kind = RecordChange.Kind(wasThere: !old.isEmpty, isThere: !new.isEmpty)
            else {
                return nil
            }
            return RecordChange(type: .thread, id: id.rawValue, kind: kind)
        }
    }

    /// An email that is put as it already is changes nothing.
    private mutating func dropUnchanged() throws(StorageError) {
        let ids = put.keys.filter { mail.former[$0] != nil && mail.former[$0] == mail.emails[$0] }
        guard !ids.isEmpty else { return }
        for (id, core, headers, content) in try connection.rows(
            "SELECT id, core, headers, content FROM email_body WHERE account = $1 AND id = ANY ($2)",
            [.integer(account), .ids(ids)],
            { ($0.id(0) as Id<Email>, $0.data(1), $0.data(2), $0.data(3)) })
        {
            guard let message = put[id], message.core == core, message.headers == headers,
                message.content == content
            else { continue }
            put[id] = nil
        }
    }

    /// Returns the bytes that the emails take more than before.
    func write() throws(StorageError) -> Usage {
        var usage = try delete(mail.former.keys.filter { mail.emails[$0] == nil })
        // What is replaced is taken away here, and added with its new size below.
        let replaced = put.keys.filter { mail.former[$0] != nil && mail.emails[$0] != nil }
        usage += try taken(
            "SELECT mail_bytes, index_bytes FROM email WHERE account = $1 AND id = ANY ($2)", replaced)
        var rows = EmailRows(connection, account)
        for (id, place) in mail.emails where mail.former[id] != place || put[id] != nil {
            if let message = put[id] {
                usage += try rows.add(message, place)
                continue
            }
            try connection.send(
                "UPDATE email SET thread = $3, mailboxes = $4, keywords = $5 WHERE account = $1 AND id = $2",
                .integer(account), .id(id), .id(place.thread), .ids(place.mailboxes.sorted()),
                .strings(place.keywords.map(\.rawValue).sorted()))
        }
        try rows.finish()
        try writeMailboxLists()
        return usage
    }

    private func delete(_ gone: [Id<Email>]) throws(StorageError) -> Usage {
        guard !gone.isEmpty else { return Usage() }
        for table in ["email_body", "email_mailbox"] {
            try connection.send(
                "DELETE FROM \(table) WHERE account = $1 AND id = ANY ($2)", .integer(account), .ids(gone))
        }
        return try taken(
            "DELETE FROM email WHERE account = $1 AND id = ANY ($2) RETURNING mail_bytes, index_bytes", gone)
    }

    /// The bytes of these emails, as less than nothing.
    private func taken(_ sql: String, _ ids: [Id<Email>]) throws(StorageError) -> Usage {
        guard !ids.isEmpty else { return Usage() }
        return try connection.rows(sql, [.integer(account), .ids(ids)]) {
            Usage(mail: -$0.int(0), index: -$0.int(1))
        }.reduce(into: Usage()) { $0 += $1 }
    }

    private struct Listed: Hashable {
        var mailbox: Id<Mailbox>
        var received: Date
        var email: Id<Email>
    }

    private static func listed(_ places: [Id<Email>: EmailPlace], _ ids: Set<Id<Email>>) -> Set<Listed> {
        Set(
            ids.flatMap { id in
                places[id].map { place in
                    place.mailboxes.map { Listed(mailbox: $0, received: place.received, email: id) }
                } ?? []
            })
    }

    private func writeMailboxLists() throws(StorageError) {
        let changed = Set(mail.emails.filter { mail.former[$0.key] != $0.value }.keys)
        let (before, after) = (Self.listed(mail.former, changed), Self.listed(mail.emails, changed))
        let (old, new) = (before.subtracting(after), after.subtracting(before))
        if !old.isEmpty {
            try connection.send(
                """
                DELETE FROM email_mailbox m USING unnest($2::bytea[], $3::bytea[]) AS o (mailbox, id)
                WHERE m.account = $1 AND m.mailbox = o.mailbox AND m.id = o.id
                """, .integer(account), .ids(old.map(\.mailbox)), .ids(old.map(\.email)))
        }
        if !new.isEmpty {
            try connection.send(
                """
                INSERT INTO email_mailbox
                SELECT $1, * FROM unnest($2::bytea[], $3::double precision[], $4::bytea[])
                """, .integer(account), .ids(new.map(\.mailbox)),
                .reals(new.map { $0.received.timeIntervalSinceReferenceDate }), .ids(new.map(\.email)))
        }
    }
}
