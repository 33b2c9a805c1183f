import MailKernelAPI
import Store

extension DataType {
    /// Changes when mail comes, and with nothing else that happens to emails.
    package static let emailDelivery = DataType(rawValue: "EmailDelivery")
}

extension MailStore {
    /// Tells that mail has come, where it has (RFC 8621, section 1.5).
    package func tellDelivery(in changes: [StorageChange], _ result: CommitResult) {
        let hasMail = changes.contains { if case .putEmail = $0 { true } else { false } }
        guard hasMail, let emails = result.states.first(where: { $0.type == .email }) else { return }
        news.publish([CommitResult.StateChange(.emailDelivery, in: emails.accountID, emails.state)])
    }
}
