import MailKernelAPI
import Store

extension DataType {
    /// Changes when mail comes, and with nothing else that happens to emails.
    package static let emailDelivery = DataType(rawValue: "EmailDelivery")
}

extension MailStore {
    /// Tells that mail has come, where it has (RFC 8621, section 1.5). Of mail that waits for rules, it is told once they
    /// have run.
    package func tellDelivery(in changes: [StorageChange], _ result: CommitResult) {
        guard !Arrival.isAny(in: changes) else { return }
        let hasMail = changes.contains { if case .putEmail = $0 { true } else { false } }
        guard hasMail, let emails = result.states.first(where: { $0.type == .email }) else { return }
        news.publish([CommitResult.StateChange(.emailDelivery, in: emails.accountID, emails.state)])
    }

    /// Tells that mail has come that was waiting for rules.
    package func tellDelivery(in accountID: Id<Account>) async throws(StorageError) {
        let state = try await read.state(of: .email, in: accountID)
        news.publish([CommitResult.StateChange(.emailDelivery, in: accountID, state)])
    }
}
