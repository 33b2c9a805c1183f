import MailKernelAPI

/// The one row about the whole store: what every state is made of.
struct StoreRow {
    /// Part of every state, so that those of a store that was wiped mean nothing to the next.
    var id: String
    /// Numbers every change of every record; never goes back while the store lives.
    var lastChange: Int
    /// Counts the changes that queries may answer differently after.
    var revision: Int
    /// The clock of least-recently-used: the greater, the more recently.
    var lastUse: Int

    init(_ database: Database) throws(StorageError) {
        let row = try database.first("SELECT id, last_change, revision, last_use FROM store") { row in
            (row.text(0), row.int(1), row.int(2), row.int(3))
        }
        guard let row else { throw .corrupt(reason: "the store has no identity") }
        (id, lastChange, revision, lastUse) = row
    }

    func save(to database: Database) throws(StorageError) {
        try database.run(
            "UPDATE store SET last_change = ?, revision = ?, last_use = ?", .integer(lastChange),
            .integer(revision), .integer(lastUse))
    }

    static func create(in database: Database) throws(StorageError) {
        try database.run(
            "INSERT INTO store VALUES (1, ?, 0, 0, 0)",
            .text(String(UInt64.random(in: .min ... .max), radix: 36)))
    }

    func state(_ number: Int) -> State { State(rawValue: "\(id)-\(number)") }

    /// The number behind a state of this store; nil if it is of another, or no state at all.
    func number(of state: State) -> Int? {
        let parts = state.rawValue.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == id else { return nil }
        return Int(parts[1])
    }

    var queryState: State { State(rawValue: "\(id)-q\(revision)") }
}
