import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        let store = try store()
        return try await store.write { connection throws(StorageError) in
            try Commit.apply(changes, kernel: store.kernel, to: connection)
        }
    }

    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        let store = try store()
        let number = try await store.write { connection throws(StorageError) -> Int? in
            let last = try connection.first(
                "UPDATE store SET last_change = last_change + 1 RETURNING last_change"
            ) { $0.int(0) }
            let account = try connection.first(
                "DELETE FROM account WHERE id = $1 RETURNING account", [.id(id)]
            ) { $0.int(0) }
            guard let account else { return nil }
            for table in Schema.tablesOfAccounts {
                try connection.send("DELETE FROM \(table) WHERE account = $1", .integer(account))
            }
            try connection.doomObjects(of: account)
            var log = ChangeLog(connection, 0, store.kernel, last: last ?? 0)
            let gone = RecordChange(type: .account, id: id.rawValue, kind: .destroyed)
            let current = try log.append([gone], of: .account)
            try connection.send("UPDATE store SET last_change = $1", .integer(current))
            return account
        }
        if let number { await removeObjects(of: number, store) }
    }
}
