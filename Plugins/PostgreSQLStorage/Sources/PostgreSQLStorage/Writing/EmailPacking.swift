import FoundationEssentials
import MailKernelAPI
import StoreRules

/// An email made ready for its rows.
struct PackedMessage {
    let email: Email
    let core: Data
    let headers: Data
    let content: Data
    private let body: EmailBody

    init(_ email: Email, _ body: EmailBody) {
        self.email = email
        self.body = body
        core = PackedEmail.pack(email)
        headers = PackedBody.packHeaders(body)
        content = PackedBody.packContent(body)
    }

    /// Returns the bytes that it takes.
    func write(_ place: EmailPlace, _ connection: Connection, _ account: Int) throws(StorageError) -> Usage {
        try writeBody(connection, account)
        let vector = WordVector(SearchableText(email, body))
        let usage = Usage(
            mail: core.count + headers.count + content.count + Usage.rowBytes, index: vector.indexBytes)
        try writeRow(place, vector, usage, connection, account)
        return usage
    }

    private func writeBody(_ connection: Connection, _ account: Int) throws(StorageError) {
        try connection.send(
            """
            INSERT INTO email_body VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (account, id) DO UPDATE SET core = excluded.core, headers = excluded.headers,
                content = excluded.content, header_names = excluded.header_names, header_values = excluded.header_values
            """, .integer(account), .id(email.id), .data(core), .data(headers), .data(content),
            .strings(body.headers.map { FilterCompiler.fieldName($0.name) }),
            .strings(body.headers.map { TextFolding.fold($0.value) }))
    }

    private func writeRow(
        _ place: EmailPlace, _ vector: WordVector, _ usage: Usage, _ connection: Connection, _ account: Int
    ) throws(StorageError) {
        let header = email.header
        try connection.send(
            """
            INSERT INTO email
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::tsvector, $15, $16)
            ON CONFLICT (account, id) DO UPDATE SET thread = excluded.thread, received = excluded.received,
                sent = excluded.sent, size = excluded.size, attachment = excluded.attachment,
                mailboxes = excluded.mailboxes, keywords = excluded.keywords, quarter = excluded.quarter,
                from_key = excluded.from_key, to_key = excluded.to_key, subject_key = excluded.subject_key,
                terms = excluded.terms, mail_bytes = excluded.mail_bytes, index_bytes = excluded.index_bytes
            """, .integer(account), .id(email.id), .id(place.thread), .date(email.receivedAt),
            .date(header.sentAt ?? email.receivedAt), .integer(email.size), .flag(email.hasAttachment),
            .ids(place.mailboxes.sorted()), .strings(place.keywords.map(\.rawValue).sorted()),
            .integer(SearchPlace.quarter(of: email.receivedAt.timeIntervalSinceReferenceDate)),
            .string(SortText.name(of: header.from)), .string(SortText.name(of: header.to)),
            .string(SortText.subject(of: header)), .text(vector.text), .integer(usage.mail),
            .integer(usage.index))
    }
}
