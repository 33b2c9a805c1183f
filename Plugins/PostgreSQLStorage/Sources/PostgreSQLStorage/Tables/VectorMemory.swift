import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Finds the nearest vectors, with those of the accounts that are searched in memory.
///
/// Each search first reads what was put since the last one, by this kernel or by another: insights are numbered in the
/// order of their commits. Removed ones are not numbered; they are noticed when they are looked up, and left out.
final class VectorMemory: Sendable {
    fileprivate typealias Shelf = VectorShelf<Int, Id<Email>>

    private let shelf = Shelf()

    func forgetAll() { shelf.forgetAll() }

    /// The nearest of each account, at least `limit` of it if there are so many. Call this before anything is read in the
    /// transaction, so that what is in memory is never newer than what the transaction sees.
    func nearest(
        to vector: [Float], by model: String, in accountIDs: Set<Id<Account>>, limit: Int,
        from connection: Connection
    ) throws(StorageError) -> [NearEmail] {
        try shelf.use { tables throws(StorageError) in
            var near: [NearEmail] = []
            for accountID in accountIDs {
                guard let account = try connection.account(accountID) else { continue }
                let search = VectorSearch(
                    connection: connection,
                    key: Shelf.Key(account: account, model: model, dimensions: vector.count),
                    question: vector, limit: limit)
                near += try search.run(&tables).map {
                    NearEmail(accountID: accountID, emailID: $0.id, similarity: $0.similarity)
                }
            }
            return near
        }
    }
}

/// A search in the vectors of one account.
private struct VectorSearch {
    typealias Found = (id: Id<Email>, similarity: Float)

    /// Vectors that are read at once.
    private static let page = 1_000
    /// Searches that may meet removed emails before the vectors are read again.
    private static let patience = 3

    let connection: Connection
    let key: VectorMemory.Shelf.Key
    let question: [Float]
    let limit: Int

    func run(_ tables: inout VectorMemory.Shelf.Tables) throws(StorageError) -> [Found] {
        for _ in 0..<Self.patience {
            guard var table = try current(&tables) else { return best(of: try all()) }
            let candidates = table.candidates(for: question, limit: limit)
            let found = try similarities(of: candidates)
            let gone = Set(candidates).subtracting(found.map(\.id))
            for id in gone { table.set(nil, of: id) }
            tables.all[key] = table
            if gone.isEmpty { return found }
        }
        tables.all[key] = nil
        guard let table = try current(&tables) else { return best(of: try all()) }
        return try similarities(of: table.candidates(for: question, limit: limit))
    }

    /// The exact similarities, reckoned on the whole numbers of the vectors.
    private func similarities(of ids: [Id<Email>]) throws(StorageError) -> [Found] {
        var found: [Found] = []
        for some in ids.slices(of: Self.page) {
            found += try connection.rows(
                "SELECT id, embedding FROM insight WHERE account = $1 AND model = $2 AND id = ANY ($3)",
                [.integer(key.account), .string(key.model), .ids(some)], similarity
            ).compactMap { $0 }
        }
        return found
    }

    private func similarity(_ row: Row) -> Found? {
        let cosine = row.withBytes(1) { other in
            question.withUnsafeBytes { Embedding.cosine($0, other) }
        }
        return cosine.map { (row.id(0), $0) }
    }
}

// MARK: Reading vectors

extension VectorSearch {
    /// All vectors as they are now; nil if they are too many to be kept in memory.
    private func current(
        _ tables: inout VectorMemory.Shelf.Tables
    ) throws(StorageError) -> VectorTable<Id<Email>>? {
        // What fails on the way is read again from the start.
        if var table = tables.all.removeValue(forKey: key) {
            try refresh(&table)
            return table
        }
        let count = try connection.first(
            "SELECT count(*), coalesce(max(number), -1) FROM insight WHERE account = $1",
            [.integer(key.account)]
        ) { (all: $0.int(0), last: $0.int(1)) }
        guard let count, tables.makeRoom(for: count.all, dimensions: key.dimensions) else { return nil }
        var table = VectorTable<Id<Email>>(dimensions: key.dimensions)
        try each { row in row.withBytes(1) { table.set($0, of: row.id(0)) } }
        table.lastChange = count.last
        return table
    }

    /// Reads what was put since the last time, by any model: an email has one insight.
    private func refresh(_ table: inout VectorTable<Id<Email>>) throws(StorageError) {
        // Before the first insight that is newer than all in memory.
        var (number, last) = (table.lastChange + 1, "")
        while true {
            let rows = try connection.rows(
                """
                SELECT id, embedding, model, number FROM insight WHERE account = $1 AND (number, id) > ($2, $3)
                ORDER BY number, id LIMIT $4
                """, [.integer(key.account), .integer(number), .string(last), .integer(Self.page)]
            ) { row in
                if row.text(2) == key.model {
                    row.withBytes(1) { table.set($0, of: row.id(0)) }
                } else {
                    table.set(nil, of: row.id(0))
                }
                return (id: row.text(0), number: row.int(3))
            }
            guard let end = rows.last else { return }
            (number, last) = (end.number, end.id)
            table.lastChange = end.number
        }
    }

    /// Runs `body` on the id and the vector of each email.
    private func each(_ body: (Row) -> Void) throws(StorageError) {
        var last: String?
        while true {
            let ids = try connection.rows(
                """
                SELECT id, embedding FROM insight
                WHERE account = $1 AND model = $2 AND ($3::bytea IS NULL OR id > $3) ORDER BY id LIMIT $4
                """, [.integer(key.account), .string(key.model), .string(last), .integer(Self.page)]
            ) { row in
                body(row)
                return row.text(0)
            }
            guard let end = ids.last, ids.count == Self.page else { return }
            last = end
        }
    }

    private func all() throws(StorageError) -> [Found] {
        var all: [Found] = []
        try each { row in if let found = similarity(row) { all.append(found) } }
        return all
    }

    private func best(of all: [Found]) -> [Found] {
        let sorted = all.sorted { $0.similarity > $1.similarity }
        let least = sorted.count > limit ? sorted[limit - 1].similarity : -.infinity
        return sorted.filter { $0.similarity >= least }
    }
}
