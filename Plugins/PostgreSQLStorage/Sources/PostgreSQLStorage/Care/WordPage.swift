import MailKernelAPI
import StoreRules

/// The words of some emails, made from their texts again.
struct WordPage {
    private static let size = 200

    private let connection: Connection
    private let account: Int
    private let ids: [Id<Email>]
    private let vectors: [WordVector]

    /// Reads the emails that follow an id; from the first on if it is nil.
    init(of account: Int, after last: Id<Email>?, _ connection: Connection) throws(StorageError) {
        self.connection = connection
        self.account = account
        let found = try connection.rows(
            """
            SELECT e.id, b.core, b.headers, b.content
            FROM email e JOIN email_body b ON b.account = e.account AND b.id = e.id
            WHERE e.account = $1 AND ($2::bytea IS NULL OR e.id > $2) ORDER BY e.id LIMIT $3
            """, [.integer(account), .string(last?.rawValue), .integer(Self.size)]
        ) { row in
            let email = row.withBytes(1) {
                PackedEmail.email(row.id(0), in: Id(""), $0, mailboxIDs: [], keywords: [])
            }
            return (email.id, WordVector(SearchableText(email, row.body(headers: 2, content: 3))))
        }
        ids = found.map(\.0)
        vectors = found.map(\.1)
    }

    /// Nil if no email follows.
    var last: Id<Email>? { ids.last }

    /// How many of the emails have other words in the index.
    func differences() throws(StorageError) -> Int {
        let sql = "SELECT count(*) FROM email e JOIN \(Self.made) ON \(Self.areOthers)"
        return try connection.first(sql, values) { $0.int(0) } ?? 0
    }

    /// Writes the words that are not as they should be.
    func write() throws(StorageError) {
        let sql =
            "UPDATE email e SET terms = u.terms, index_bytes = u.bytes FROM \(Self.made) WHERE \(Self.areOthers)"
        _ = try connection.first(sql, values) { _ in () }
    }

    private static let made = """
        unnest($2::bytea[], $3::tsvector[], $4::bigint[]) u (id, terms, bytes)
        """
    private static let areOthers = """
        e.account = $1 AND e.id = u.id AND (e.terms <> u.terms OR e.index_bytes <> u.bytes)
        """

    private var values: [SQLValue] {
        [
            .integer(account), .ids(ids), .vectors(vectors.map(\.encoded)),
            .integers(vectors.map(\.indexBytes)),
        ]
    }
}
