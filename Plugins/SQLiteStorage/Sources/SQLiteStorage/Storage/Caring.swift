import FoundationEssentials
import MailKernelAPI

extension SQLiteStorage {
    func usage() async throws(StorageError) -> StorageUsage {
        let store = try store()
        return try await store.read { database throws(StorageError) in
            let accounts = try database.rows(
                """
                SELECT a.id, a.mail_bytes, a.index_bytes,
                    (SELECT coalesce(sum(b.size), 0) FROM blob b WHERE b.account = a.row)
                FROM account a ORDER BY a.id
                """
            ) { row in
                StorageUsage.PerAccount(
                    accountID: row.id(0), mail: row.int(1), attachments: row.int(3), searchIndex: row.int(2))
            }
            let files = store.folder.databaseFiles.reduce(0) { $0 + store.folder.room(of: $1) }
            let attachments = accounts.reduce(0) { $0 + $1.attachments }
            let said = accounts.reduce(0) { $0 + $1.total }
            // What accounts take is reckoned, the files are measured: a small store can be the other way.
            return StorageUsage(
                accounts: accounts, total: max(files + attachments, said),
                clearable: try database.clearableBytes())
        }
    }

    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int {
        let store = try store()
        let (freed, files) = try await store.write { database throws(StorageError) in
            let blobs = try database.rows("DELETE FROM blob WHERE cached = 1 RETURNING size, file") {
                ($0.int(0), $0.text(1))
            }
            var freed = blobs.reduce(0) { $0 + $1.0 }
            if includingInsights { freed += try database.removeInsights() }
            return (freed, blobs.map(\.1))
        }
        if includingInsights { store.vectors.forgetAll() }
        store.removeBlobFiles(files)
        return freed
    }

    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int {
        let store = try store()
        let (count, outcome) = try await store.write { database throws(StorageError) in
            guard let account = try database.account(accountID) else {
                throw .notFound("account \(accountID)")
            }
            let spared = try database.mailboxRows(withRoleIn: sparing, account: account.row)
            let list = "[" + spared.map(String.init).joined(separator: ",") + "]"
            let old = try database.rows(
                """
                SELECT e.id FROM email e WHERE e.account = ? AND e.received < ? AND NOT EXISTS (
                    SELECT 1 FROM email_mailbox m WHERE m.email = e.row
                    AND m.mailbox IN (SELECT value FROM json_each(?)))
                AND EXISTS (SELECT 1 FROM remote r WHERE r.email = e.row)
                ORDER BY e.received, e.id LIMIT ?
                """, [.integer(account.row), .date(date), .text(list), .integer(max(0, limit))]
            ) { StorageChange.destroyEmail($0.id(0), in: accountID) }
            let outcome = try Commit.apply(ChangeSet(old), to: database)
            return (old.count, outcome)
        }
        store.wasCommitted(outcome)
        return count
    }

    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        let store = try store()
        let files = try await store.withWriter { database throws(StorageError) -> [String] in
            guard let account = try database.account(id) else { return [] }
            let pages = RemovedPages(database: database, folder: store.folder, file: store.databaseFile)
            try pages.mark()
            let files = try AccountRemoval(database: database, account: account).run()
            try pages.clean()
            return files
        }
        store.vectors.forgetAll()
        store.removeBlobFiles(files)
    }

    func check() async throws(StorageError) -> [String] {
        let store = try store()
        let findings = try await store.read { database throws(StorageError) in try database.findings() }
        // The index can only be asked by a connection that may write; nothing is written.
        let ofIndex = try await store.withWriter { database throws(StorageError) in
            try database.indexFindings()
        }
        if !(findings + ofIndex).isEmpty { store.noteDamage() }
        return findings + ofIndex
    }

    func rebuildSearchIndex() async throws(StorageError) {
        let accounts = try await accounts()
        for account in accounts {
            try await store().write { database throws(StorageError) in
                try database.rebuildSearchIndex(of: account.id)
            }
        }
    }
}

extension Database {
    fileprivate func clearableBytes() throws(StorageError) -> Int {
        let blobs = try integer("SELECT sum(size) FROM blob WHERE cached = 1") ?? 0
        let insights = try integer("SELECT sum(bytes) FROM insight WHERE corrected = 0") ?? 0
        return Int(blobs + insights)
    }

    /// What the user has corrected cannot be made again and stays. Returns how many bytes went.
    fileprivate func removeInsights() throws(StorageError) -> Int {
        let bytes = try rows(
            "SELECT account, sum(bytes) FROM insight WHERE corrected = 0 GROUP BY account"
        ) { (account: $0.int64(0), bytes: $0.int(1)) }
        for (account, bytes) in bytes {
            try run(
                "UPDATE account SET mail_bytes = mail_bytes - ? WHERE row = ?", .integer(bytes),
                .integer(account))
        }
        try run("DELETE FROM insight WHERE corrected = 0")
        var store = try StoreRow(self)
        store.revision += 1
        try store.save(to: self)
        return bytes.reduce(0) { $0 + $1.bytes }
    }
}
