import MailKernelAPI
import StoreRules

extension Commit {
    /// Writes everything, and returns the new states.
    func finish() throws(StorageError) -> [CommitResult.StateChange] {
        var states: [CommitResult.StateChange] = []
        let recordDifferences = try records.finish()
        for (number, differences) in recordDifferences.sorted(by: { $0.key < $1.key }) {
            for (type, changes) in Dictionary(grouping: differences, by: \.type) {
                try note(changes, of: type, number, &states)
            }
        }
        for (_, account) in accounts.sorted(by: { $0.key < $1.key }) {
            let differences = try account.finish(last: logs[account.number]?.last ?? 0)
            for changes in differences {
                guard let type = changes.first?.type else { continue }
                try note(changes, of: type, account.number, &states)
            }
            try note(account, isMailChanged: !differences.isEmpty || account.isCategorized)
        }
        let changed = try accountDifferences()
        if !changed.isEmpty { try note(changed, of: .account, 0, &states) }
        for log in logs.values { try save(log) }
        return states.sorted { ($0.type.rawValue, $0.state.rawValue) < ($1.type.rawValue, $1.state.rawValue) }
    }

    private func note(_ account: AccountCommit, isMailChanged: Bool) throws(StorageError) {
        let usage = account.usage
        guard isMailChanged || usage != Usage() else { return }
        try connection.send(
            """
            UPDATE account SET revision = revision + $2, mail_bytes = mail_bytes + $3, index_bytes = index_bytes + $4,
                insight_bytes = insight_bytes + $5, corrected_bytes = corrected_bytes + $6
            WHERE account = $1
            """, .integer(account.number), .integer(isMailChanged ? 1 : 0), .integer(usage.mail),
            .integer(usage.index), .integer(usage.insights), .integer(usage.corrected))
    }

    private func note(
        _ changes: [RecordChange], of type: DataType, _ number: Int,
        _ states: inout [CommitResult.StateChange]
    ) throws(StorageError) {
        guard let current = try logs[number]?.append(changes, of: type) else { return }
        states.append(
            .init(type, in: ids[number], StateNaming(store: storeID, account: number).state(current)))
    }

    private func save(_ log: ChangeLog) throws(StorageError) {
        guard log.account > 0 else {
            try connection.send("UPDATE store SET last_change = $1", .integer(log.last))
            return
        }
        try connection.send(
            "UPDATE account SET last_change = $2 WHERE account = $1", .integer(log.account),
            .integer(log.last))
    }

    private func accountDifferences() throws(StorageError) -> [RecordChange] {
        var differences: [RecordChange] = []
        for (id, former) in formerAccounts.sorted(by: { $0.key < $1.key }) {
            let now = try accountRecord(id)
            guard former != now, let kind = RecordChange.Kind(wasThere: former != nil, isThere: now != nil)
            else {
                continue
            }
            differences.append(RecordChange(type: .account, id: id.rawValue, kind: kind))
        }
        return differences
    }
}
