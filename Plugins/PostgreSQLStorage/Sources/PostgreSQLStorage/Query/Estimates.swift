import MailKernelAPI

extension Connection {
    /// The planner's guesses of how many emails, of all accounts, meet each of the conditions. It reads no mail.
    func estimatedEmails(_ conditions: [SQLText]) throws(StorageError) -> [Int] {
        var asked: [Question] = []
        for condition in conditions {
            let text = "EXPLAIN SELECT FROM email e WHERE " + condition
            asked.append(try ask(text.sql, text.values, once: true))
        }
        var estimates: [Int] = []
        for question in asked {
            let plan = try rows(question) { $0.text(0) }.first ?? ""
            let number = plan.firstRange(of: "rows=").map { plan[$0.upperBound...].prefix { $0.isNumber } }
            estimates.append(number.flatMap { Int($0) } ?? 0)
        }
        return estimates
    }
}
