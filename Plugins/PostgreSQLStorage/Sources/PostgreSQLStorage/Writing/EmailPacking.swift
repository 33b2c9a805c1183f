import FoundationEssentials
import MailKernelAPI
import StoreRules

/// An email made ready for its rows.
struct PackedMessage {
    let email: Email
    let core: Data
    let headers: Data
    let content: Data
    fileprivate let body: EmailBody

    init(_ email: Email, _ body: EmailBody) {
        self.email = email
        self.body = body
        core = PackedEmail.pack(email)
        headers = PackedBody.packHeaders(body)
        content = PackedBody.packContent(body)
    }

    fileprivate var bodyRow: [SQLValue] {
        [
            .id(email.id), .data(core), .data(headers), .data(content),
            .strings(body.headers.map { FilterCompiler.fieldName($0.name) }),
            .strings(body.headers.map { TextFolding.fold($0.value) }),
        ]
    }

    fileprivate func row(_ place: EmailPlace, _ vector: WordVector, _ usage: Usage) -> [SQLValue] {
        let header = email.header
        return [
            .id(email.id), .id(place.thread), .date(email.receivedAt),
            .date(header.sentAt ?? email.receivedAt), .integer(email.size), .flag(email.hasAttachment),
            .ids(place.mailboxes.sorted()), .strings(place.keywords.map(\.rawValue).sorted()),
            .integer(SearchPlace.quarter(of: email.receivedAt.timeIntervalSinceReferenceDate)),
            .string(SortText.name(of: header.from)), .string(SortText.name(of: header.to)),
            .string(SortText.subject(of: header)), .vector(vector.encoded), .integer(usage.mail),
            .integer(usage.index),
        ]
    }

    fileprivate func usage(_ vector: WordVector) -> Usage {
        Usage(
            mail: core.count + headers.count + content.count + Usage.rowBytes, index: vector.indexBytes)
    }
}

/// The rows of emails that a commit puts. Several go into one statement.
struct EmailRows {
    private static let together = 8

    private let connection: Connection
    private let account: Int
    private var bodies: [[SQLValue]] = []
    private var rows: [[SQLValue]] = []

    init(_ connection: Connection, _ account: Int) {
        self.connection = connection
        self.account = account
    }

    /// Returns the bytes that it takes.
    mutating func add(_ message: PackedMessage, _ place: EmailPlace) throws(StorageError) -> Usage {
        let vector = WordVector(SearchableText(message.email, message.body))
        connection.wordBytes += vector.bytes
        let usage = message.usage(vector)
        bodies.append(message.bodyRow)
        rows.append(message.row(place, vector, usage))
        guard rows.count == Self.together else { return usage }
        try send(Self.putBodies, bodies)
        try send(Self.putRows, rows)
        (bodies, rows) = ([], [])
        return usage
    }

    /// Sends what is left.
    func finish() throws(StorageError) {
        for (body, row) in zip(bodies, rows) {
            try send(Self.putBody, [body])
            try send(Self.putRow, [row])
        }
    }

    private func send(_ sql: String, _ rows: [[SQLValue]]) throws(StorageError) {
        try connection.send(sql, all: [.integer(account)] + rows.joined())
    }

    private static let putBody = body(1)
    private static let putBodies = body(together)
    private static let putRow = row(1)
    private static let putRows = row(together)

    private static func body(_ count: Int) -> String {
        """
        INSERT INTO email_body VALUES \(values(count, columns: 6))
        ON CONFLICT (account, id) DO UPDATE SET core = excluded.core, headers = excluded.headers,
            content = excluded.content, header_names = excluded.header_names, header_values = excluded.header_values
        """
    }

    private static func row(_ count: Int) -> String {
        """
        INSERT INTO email VALUES \(values(count, columns: 15))
        ON CONFLICT (account, id) DO UPDATE SET thread = excluded.thread, received = excluded.received,
            sent = excluded.sent, size = excluded.size, attachment = excluded.attachment,
            mailboxes = excluded.mailboxes, keywords = excluded.keywords, quarter = excluded.quarter,
            from_key = excluded.from_key, to_key = excluded.to_key, subject_key = excluded.subject_key,
            terms = excluded.terms, mail_bytes = excluded.mail_bytes, index_bytes = excluded.index_bytes
        """
    }

    /// Such as `($1, $2, $3), ($1, $4, $5)`: the account and the other columns.
    private static func values(_ count: Int, columns: Int) -> String {
        (0..<count).map { row in
            let numbers = (0..<columns).map { ", $\(2 + row * columns + $0)" }
            return "($1\(numbers.joined()))"
        }.joined(separator: ", ")
    }
}
