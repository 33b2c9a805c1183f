import FoundationEssentials
import MailKernelAPI

/// Snoozed messages in the whole program, from their time by the clock of this computer until they are in the inbox.
struct SnoozeMeasure {
    private static let messages = 20
    private static let account = MailboxProgram.account

    let program: MailboxProgram
    let size: Int

    func run(_ report: inout Report) async throws {
        let connection = try program.connect()
        let query: JSONValue = ["filter": ["inMailbox": "inbox"], "limit": .number(Double(Self.messages))]
        let ids = try connection.call("Email/query", query, in: Self.account)["ids"]?.arrayValue ?? []
        guard ids.count == Self.messages else { throw BenchError(description: "The inbox is too small.") }
        // JMAP has whole seconds. One message a second: each return is an alarm of its own.
        let first = Date().timeIntervalSince1970.rounded(.up) + 5
        let times = ids.indices.map { Date(timeIntervalSince1970: first + Double($0)) }
        for (id, time) in zip(ids, times) {
            let snooze: JSONValue = [
                "verb": "snooze", "until": .string(time.formatted(.iso8601)), "emailIds": [id],
            ]
            try connection.call("MailAction/set", ["create": ["s": snooze]], in: Self.account)
        }
        guard Date() < times[0] else { throw BenchError(description: "Snoozing took longer than 5 s.") }
        var late = Samples()
        for (id, time) in zip(ids, times) {
            while try !isInInbox(id, connection) { try await Task.sleep(for: .milliseconds(5)) }
            let delay = Date().timeIntervalSince(time)
            guard delay >= 0 else { throw BenchError(description: "A message returned before its time.") }
            guard delay < 60 else { throw BenchError(description: "A message returned a minute late.") }
            late.add(delay * 1_000)
        }
        report.add(
            Figure(
                "snooze.due-\(size)",
                "p95 of \(Self.messages) snoozed messages, from their time until they are in the inbox",
                late.p95, "ms", against: "1000 ms", 1_000))
    }

    private func isInInbox(_ id: JSONValue, _ connection: HTTPConnection) throws -> Bool {
        let answer = try connection.call(
            "Email/get", ["ids": [id], "properties": ["mailboxIds"]], in: Self.account)
        return answer["list"]?.arrayValue?.first?["mailboxIds"]?["inbox"] != nil
    }
}
