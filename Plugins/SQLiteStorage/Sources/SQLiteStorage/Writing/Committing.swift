import MailKernelAPI

extension SQLiteStorage {
    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        let store = try store()
        let messages = PackedMessages(changes.changes)
        let outcome = try await store.write { database throws(StorageError) in
            try Commit.apply(changes, messages, to: database)
        }
        store.wasCommitted(outcome)
        return outcome.result
    }

    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        try await read { database throws(StorageError) in
            try StoreRow(database).state(try database.changeLog(of: accountID).current(type))
        }
    }

    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) async throws(StorageError) -> Changes {
        guard limit > 0 else { throw .invalid(reason: "changes were asked for with a limit of \(limit)") }
        return try await read { database throws(StorageError) in
            let log = try database.changeLog(of: accountID)
            let store = try StoreRow(database)
            guard let number = store.number(of: state) else { throw .cannotCalculateChanges }
            return try log.changes(of: type, since: number, limit: limit, store)
        }
    }
}
