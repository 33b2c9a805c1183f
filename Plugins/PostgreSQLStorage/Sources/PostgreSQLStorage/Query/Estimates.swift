import MailKernelAPI

extension Connection {
    /// The planner's guess of how many emails, of all accounts, meet a condition. It reads no mail.
    func estimatedEmails(_ condition: SQLText) throws(StorageError) -> Int {
        let plan = try rows("EXPLAIN SELECT FROM email e WHERE " + condition) { $0.text(0) }
        guard let rows = plan.first?.firstRange(of: "rows=") else { return 0 }
        return Int(plan[0][rows.upperBound...].prefix { $0.isNumber }) ?? 0
    }
}
