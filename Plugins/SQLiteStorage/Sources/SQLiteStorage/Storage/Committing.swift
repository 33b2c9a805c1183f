import MailKernelAPI

extension SQLiteStorage {
    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        let store = try store()
        let outcome: Commit.Outcome
        do throws(StorageError) {
            outcome = try await apply(changes, to: store)
        } catch .corrupt(let reason) {
            // Words are in the mail as well: that they cannot be indexed keeps no mail out.
            guard try await store.mendIndexes() else { throw .corrupt(reason: reason) }
            outcome = try await apply(changes, to: store)
        }
        store.wasCommitted(outcome)
        return outcome.result
    }

    private func apply(
        _ changes: ChangeSet, to store: OpenStore
    ) async throws(StorageError) -> Commit.Outcome {
        let messages = PackedMessages(changes.changes)
        return try await store.write(bringsIn: changes.bringsIn) { database throws(StorageError) in
            try Commit.apply(changes, messages, to: database)
        }
    }

    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        try await read { database throws(StorageError) in
            try StoreRow(database).state(try database.changeLog(of: accountID).current(type))
        }
    }

    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) async throws(StorageError) -> Changes {
        guard limit > 0 else { throw .invalid(reason: "changes were requested with a limit of \(limit)") }
        return try await read { database throws(StorageError) in
            let log = try database.changeLog(of: accountID)
            let store = try StoreRow(database)
            guard let number = store.number(of: state) else { throw .cannotCalculateChanges }
            return try log.changes(of: type, since: number, limit: limit, store)
        }
    }
}

extension ChangeSet {
    /// Whether it contains mail or data derived from mail; other changes are small or free space.
    fileprivate var bringsIn: Bool {
        changes.contains {
            if case .putEmail = $0 { return true }
            if case .putInsight = $0 { return true }
            return false
        }
    }
}
