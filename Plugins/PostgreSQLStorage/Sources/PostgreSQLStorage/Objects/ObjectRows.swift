import FoundationEssentials
import MailKernelAPI

extension Connection {
    /// Announces an upload; nil if there is no such account.
    func announceObject(of id: Id<Account>, _ upload: String, key: Data) throws(StorageError) -> Int? {
        let find = "SELECT account FROM account WHERE id = $1 FOR KEY SHARE"
        guard let account = try first(find, [.id(id)], { $0.int(0) }) else { return nil }
        try run(
            "INSERT INTO blob_object (account, upload, key) VALUES ($1, $2, $3)", .integer(account),
            .string(upload), .data(key))
        return account
    }

    /// Keeps an account from being moved until the transaction has ended. False if it is not here.
    func stays(_ account: Int, _ id: Id<Account>) throws(StorageError) -> Bool {
        let find = "SELECT true FROM account WHERE account = $1 AND id = $2 FOR KEY SHARE"
        return try first(find, [.integer(account), .id(id)]) { $0.flag(0) } ?? false
    }

    /// False if it was given up meanwhile.
    func renewObject(_ object: StoredObject) throws(StorageError) -> Bool {
        try run(
            """
            UPDATE blob_object SET renewed = clock_timestamp()
            WHERE account = $1 AND upload = $2 AND NOT finished AND NOT doomed
            """, .integer(object.account), .string(object.upload)) == 1
    }

    /// False if it was given up meanwhile. Otherwise it is not before the transaction has ended.
    func finishObject(_ object: StoredObject) throws(StorageError) -> Bool {
        try run(
            """
            UPDATE blob_object SET finished = true
            WHERE account = $1 AND upload = $2 AND NOT finished AND NOT doomed
            """, .integer(object.account), .string(object.upload)) == 1
    }

    /// Lets go of an upload that failed. If a blob uses it all the same, it stays. False if it has no row.
    func abandonObject(_ object: StoredObject) throws(StorageError) -> Bool {
        try run(
            "UPDATE blob_object SET finished = true WHERE account = $1 AND upload = $2",
            .integer(object.account), .string(object.upload)) == 1
    }

    /// Gives up all objects of an account that is removed, and destroys their keys.
    func doomObjects(of account: Int) throws(StorageError) {
        try run(
            "UPDATE blob_object SET finished = true, doomed = true, key = '' WHERE account = $1",
            .integer(account))
    }

    /// Gives up objects that no blob uses, and destroys their keys. Of an account that was moved, the blobs are on another
    /// server, which has its objects, too.
    func doomUnusedObjects(limit: Int) throws(StorageError) -> [DoomedObject] {
        // The rows first, so that none of them is finished before the transaction has ended; then what uses them.
        let found = try rows(
            """
            SELECT o.account, o.upload FROM blob_object o
            WHERE (o.finished OR o.doomed OR o.renewed < clock_timestamp() - \(ObjectTable.abandonment))
            AND (o.doomed OR EXISTS (SELECT 1 FROM account a WHERE a.account = o.account))
            AND NOT EXISTS (SELECT 1 FROM blob b WHERE b.account = o.account AND b.upload = o.upload)
            ORDER BY o.account, o.upload LIMIT $1 FOR UPDATE OF o SKIP LOCKED
            """, [.integer(limit)]
        ) { (account: $0.int(0), upload: $0.text(1)) }
        guard !found.isEmpty else { return [] }
        // They are not moved before the transaction has ended.
        _ = try rows(
            "SELECT account FROM account WHERE account = ANY ($1) ORDER BY account FOR KEY SHARE",
            [.integers(found.map(\.account))]
        ) { $0.int(0) }
        return try rows(
            """
            UPDATE blob_object o SET doomed = true, key = '' FROM unnest($1::bigint[], $2::bytea[]) f (account, upload)
            WHERE o.account = f.account AND o.upload = f.upload
            AND (o.doomed OR EXISTS (SELECT 1 FROM account a WHERE a.account = o.account))
            AND NOT EXISTS (SELECT 1 FROM blob b WHERE b.account = o.account AND b.upload = o.upload)
            RETURNING o.account, o.upload
            """, [.integers(found.map(\.account)), .strings(found.map(\.upload))]
        ) { DoomedObject(account: $0.int(0), upload: $0.text(1)) }
    }

    /// Forgets an object that is no longer there.
    func forgetObject(_ object: DoomedObject) throws(StorageError) {
        try run(
            "DELETE FROM blob_object WHERE account = $1 AND upload = $2 AND doomed",
            .integer(object.account), .string(object.upload))
    }

    /// Whether the store has anything in S3.
    func hasObjects() throws(StorageError) -> Bool {
        try first("SELECT EXISTS (SELECT 1 FROM blob_object)") { $0.flag(0) } ?? false
    }
}

/// An object to be removed.
struct DoomedObject: Sendable {
    let account: Int
    let upload: String
}
