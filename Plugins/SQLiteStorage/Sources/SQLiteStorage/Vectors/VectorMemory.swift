import MailKernelAPI
import StoreRules
import Synchronization

/// Keeps the vectors that are searched up to date.
///
/// Commits record changed vectors, which the next search reads again. A search takes these records before it
/// reads, so it sees everything committed before.
final class VectorMemory: Sendable {
    private typealias Shelf = VectorShelf<Int64, Int64>

    /// More changes than this are read faster all at once.
    private static let mostNotes = 5_000

    private enum Note {
        case rows(Set<Int64>)
        case everything
    }

    private let shelf = Shelf()
    private let notes = Mutex<[Int64: Note]>([:])

    /// The vectors of these emails are others now, or none.
    func note(_ changes: [Int64: Set<Int64>]) {
        notes.withLock { notes in
            for (account, rows) in changes where !rows.isEmpty {
                guard case .rows(let known) = notes[account, default: .rows([])] else { continue }
                let all = known.union(rows)
                notes[account] = all.count > Self.mostNotes ? .everything : .rows(all)
            }
        }
    }

    func forgetAll() {
        shelf.forgetAll()
    }

    /// The rows of the candidates for the nearest emails, by account; accounts that are too large for the
    /// cache are omitted. Call this before anything is read in the transaction.
    func candidates(
        for vector: [Float], by model: String, in accountIDs: Set<Id<Account>>, limit: Int,
        from database: Database
    ) throws(StorageError) -> [Id<Account>: [Int64]] {
        try shelf.use { tables throws(StorageError) in
            let notes = notes.withLock { notes in
                defer { notes = [:] }
                return notes
            }
            for (account, note) in notes { try Self.take(note, account, &tables, database) }
            var candidates: [Id<Account>: [Int64]] = [:]
            for accountID in accountIDs {
                guard let account = try database.account(accountID)?.row else { continue }
                let key = Shelf.Key(account: account, model: model, dimensions: vector.count)
                if tables.all[key] == nil { tables.all[key] = try Self.load(key, &tables, database) }
                candidates[accountID] = tables.all[key]?.candidates(for: vector, limit: limit)
            }
            return candidates
        }
    }

    private static func take(
        _ note: Note, _ account: Int64, _ tables: inout Shelf.Tables, _ database: Database
    ) throws(StorageError) {
        for key in tables.all.keys where key.account == account {
            guard case .rows(let rows) = note, var table = tables.all.removeValue(forKey: key) else {
                tables.all[key] = nil
                continue
            }
            for row in rows {
                var isThere = false
                try database.each(
                    "SELECT embedding FROM insight WHERE email = ? AND account = ? AND model = ?",
                    [.integer(row), .integer(account), .text(key.model)]
                ) { found in
                    found.withBytes(0) { table.set($0, of: row) }
                    isThere = true
                    return false
                }
                if !isThere { table.set(nil, of: row) }
            }
            tables.all[key] = table
        }
    }

    private static func load(
        _ key: Shelf.Key, _ tables: inout Shelf.Tables, _ database: Database
    ) throws(StorageError) -> VectorTable<Int64>? {
        let count = try database.integer(
            "SELECT count(*) FROM insight WHERE account = ?", .integer(key.account))
        guard tables.makeRoom(for: Int(count ?? 0), dimensions: key.dimensions) else { return nil }
        var table = VectorTable<Int64>(dimensions: key.dimensions)
        try database.each(
            // In the order in which they lie in the file.
            "SELECT email, embedding FROM insight WHERE +account = ? AND model = ?",
            [.integer(key.account), .text(key.model)]
        ) { row in
            row.withBytes(1) { table.set($0, of: row.int64(0)) }
            return true
        }
        return table
    }
}
