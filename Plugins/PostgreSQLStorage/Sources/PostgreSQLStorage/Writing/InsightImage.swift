import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The insights that a commit puts or removes, as they were and as they become.
struct InsightImage {
    private struct Former {
        var category: String
        var isCorrected: Bool
        var bytes: Int
    }

    private let connection: Connection
    private let account: Int
    private var former: [Id<Email>: Former]
    private var put: [Id<Email>: EmailInsight] = [:]
    private var removed: Set<Id<Email>> = []

    /// Asks at once for the insights of these emails, which the commit will put.
    static func ask(
        _ connection: Connection, _ account: Int, _ ids: [Id<Email>]
    ) throws(StorageError) -> Question? {
        guard !ids.isEmpty else { return nil }
        return try connection.ask(
            "SELECT id, category, corrected, bytes FROM insight WHERE account = $1 AND id = ANY ($2)",
            [.integer(account), .ids(ids)])
    }

    init(_ connection: Connection, _ account: Int, _ asked: Question?) throws(StorageError) {
        self.connection = connection
        self.account = account
        guard let asked else {
            former = [:]
            return
        }
        let found = try connection.rows(asked) {
            ($0.id(0) as Id<Email>, Former(category: $0.text(1), isCorrected: $0.flag(2), bytes: $0.int(3)))
        }
        former = Dictionary(found) { first, _ in first }
    }

    var isTouched: Bool { !put.isEmpty }

    /// The user's choice stays, whatever a model finds later.
    mutating func put(_ insight: EmailInsight) {
        var insight = insight
        if !insight.isCorrected, let chosen = choice(for: insight.emailID) {
            insight.category = chosen
            insight.isCorrected = true
        }
        put[insight.emailID] = insight
    }

    private func choice(for id: Id<Email>) -> EmailCategory? {
        if let insight = put[id] { return insight.isCorrected ? insight.category : nil }
        guard !removed.contains(id), let former = former[id], former.isCorrected else { return nil }
        return EmailCategory(rawValue: former.category) ?? .uncategorized
    }

    mutating func remove(_ id: Id<Email>) {
        put[id] = nil
        removed.insert(id)
    }

    /// - Parameter number: of the account's last change before this commit.
    func write(number: Int) throws(StorageError) -> Usage {
        var usage = Usage()
        if !removed.isEmpty {
            for (bytes, isCorrected) in try connection.rows(
                "DELETE FROM insight WHERE account = $1 AND id = ANY ($2) RETURNING bytes, corrected",
                [.integer(account), .ids(removed)], { ($0.int(0), $0.flag(1)) })
            {
                usage.add(insight: -bytes, isCorrected: isCorrected)
            }
        }
        for (id, insight) in put.sorted(by: { $0.key < $1.key }) {
            if let former = former[id], !removed.contains(id) {
                usage.add(insight: -former.bytes, isCorrected: former.isCorrected)
            }
            usage.add(insight: Usage.bytes(of: insight), isCorrected: insight.isCorrected)
            try write(insight, number)
        }
        return usage
    }

    private func write(_ insight: EmailInsight, _ number: Int) throws(StorageError) {
        try connection.send(
            """
            INSERT INTO insight VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (account, id) DO UPDATE SET model = excluded.model, category = excluded.category,
                corrected = excluded.corrected, number = excluded.number, bytes = excluded.bytes,
                summary = excluded.summary, embedding = excluded.embedding
            """, .integer(account), .id(insight.emailID), .string(insight.modelID),
            .string(insight.category.rawValue), .flag(insight.isCorrected), .integer(number),
            .integer(Usage.bytes(of: insight)), .string(insight.summary),
            .data(Embedding.data(insight.embedding)))
    }
}
