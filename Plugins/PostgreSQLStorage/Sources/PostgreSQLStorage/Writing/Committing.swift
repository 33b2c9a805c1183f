import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        let store = try store()
        guard !store.isSpread else { return try await store.commitOnOneServer(changes) }
        return try await store.write { connection throws(StorageError) in
            try Commit.apply(changes, kernel: store.kernel, to: connection)
        }
    }

    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        let store = try store()
        let number = store.isSpread ? try await store.removeEverywhere(id) : try await remove(id, store)
        if let number { await removeObjects(of: number, store) }
    }

    private func remove(_ id: Id<Account>, _ store: OpenStore) async throws(StorageError) -> Int? {
        try await store.write { connection throws(StorageError) -> Int? in
            try connection.removal(of: id, store.kernel) { connection throws(StorageError) in
                let remove = "DELETE FROM account WHERE id = $1 RETURNING account"
                guard let account = try connection.first(remove, [.id(id)], { $0.int(0) }) else { return nil }
                try connection.removeRows(of: account)
                try connection.doomObjects(of: account)
                return account
            }
        }
    }
}

extension Connection {
    /// Announces the removal of an account, if `remove` finds it.
    func removal<Number>(
        of id: Id<Account>, _ kernel: [UInt8], _ remove: (Connection) throws(StorageError) -> Number?
    ) throws(StorageError) -> Number? {
        let last = try first("UPDATE store SET last_change = last_change + 1 RETURNING last_change") {
            $0.int(0)
        }
        guard let number = try remove(self) else { return nil }
        var log = try ChangeLog(self, 0, kernel, last: last ?? 0)
        let gone = RecordChange(type: .account, id: id.rawValue, kind: .destroyed)
        try run("UPDATE store SET last_change = $1", .integer(try log.append([gone], of: .account)))
        return number
    }

    func removeRows(of account: Int) throws(StorageError) {
        for table in Schema.tablesOfAccounts {
            try run("DELETE FROM \(table) WHERE account = $1", .integer(account))
        }
    }
}
