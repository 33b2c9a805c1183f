import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// ORG-66: the list of senders, for the first time after a start, and after a message has changed.
extension MailboxRun {
    func measureSenders(_ report: inout Report) async throws {
        let account = MailGenerator.account
        let senders = Senders(store: MailStore(store.backend), clock: WallClock())
        let first = try await milliseconds { _ = try await senders.all(in: account) }
        report.add(limit("senders.first", "all senders, for the first time", first, 3_000))
        let later = try await p95(over: 0..<20) { number in
            let update = EmailUpdate(
                GeneratedMessage.id(size - 1 - number * 5), in: account,
                addKeywords: [Keyword("bench-\(number)")])
            _ = try await store.backend.commit(ChangeSet([.updateEmail(update)]))
            _ = try await senders.all(in: account)
        }
        report.add(limit("senders.again", "p95 of all senders after a message has changed", later, 100))
    }
}
