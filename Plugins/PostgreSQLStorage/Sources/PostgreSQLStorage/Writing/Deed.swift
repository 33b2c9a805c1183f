import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The part of a commit that belongs to no account, while the account of the commit is on a further server.
///
/// It is a row there, written in the transaction of the account, and carried out at the home server right after. If that
/// fails, or the program ends in between, any kernel carries it out later. A number in the map makes sure that it is done
/// once: those of an account grow.
struct Deed: Sendable {
    let account: Int
    let number: Int
    private let changes: Data

    /// Writes it on the further server, after the commit to the account.
    init(_ changes: [StorageChange], of set: ChangeSet, on connection: Connection) throws(StorageError) {
        guard let id = set.accountIDs.first else { throw .invalid(reason: "a deed of no account") }
        let bytes = try JSONRecord.encode(changes)
        let row = try connection.first(
            """
            INSERT INTO deed SELECT account, last_change, $2 FROM account WHERE id = $1 RETURNING account, number
            """, [.id(id), .data(bytes)]
        ) { (account: $0.int(0), number: $0.int(1)) }
        guard let row else { throw .elsewhere }
        (account, number, self.changes) = (row.account, row.number, bytes)
    }

    private init(_ row: Row) {
        (account, number, changes) = (row.int(0), row.int(1), row.data(2))
    }

    /// Those that wait on a further server, in their order.
    static func waiting(on connection: Connection) throws(StorageError) -> [Deed] {
        try connection.rows("SELECT account, number, changes FROM deed ORDER BY account, number LIMIT 100") {
            Deed($0)
        }
    }

    /// Returns the new states; none if it was carried out before.
    func carryOut(at home: Connection, as kernel: [UInt8]) throws(StorageError) -> [CommitResult.StateChange]
    {
        // The lock that every commit to what belongs to no account begins with.
        try home.run("UPDATE store SET last_change = last_change + 1")
        let isNew =
            try home.run(
                "UPDATE account_place SET carried = $2 WHERE account = $1 AND carried < $2",
                .integer(account),
                .integer(number)) == 1
        guard isNew else { return [] }
        let set = ChangeSet(try JSONRecord.decode([StorageChange].self, changes))
        return try Commit.apply(set, kernel: kernel, to: home, CommitSite(kind: .home, isDeed: true)).states
    }

    func forget(at further: Connection) throws(StorageError) {
        try further.run(
            "DELETE FROM deed WHERE account = $1 AND number = $2", .integer(account), .integer(number))
    }
}

extension OpenStore {
    /// Carries out what a further server still has. All kernels hear of it, this one, too.
    func deedsOf(_ further: Lane, at home: Lane) throws(StorageError) {
        let waiting = try further.now { lane throws(StorageError) in
            try lane.read { connection throws(StorageError) in try Deed.waiting(on: connection) }
        }
        for deed in waiting {
            _ = try home.write { connection throws(StorageError) in try deed.carryOut(at: connection, as: [])
            }
            try further.now { lane throws(StorageError) in
                try lane.write { connection throws(StorageError) in try deed.forget(at: connection) }
            }
        }
    }
}
