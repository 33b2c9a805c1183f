import FoundationEssentials
import MailKernelAPI
import Store

/// Tells the user that a message that the service was to send later will be sent from this computer instead.
struct KeptHereNotice {
    let store: MailStore

    /// - Parameter kept: its `failure` says why.
    func change(for kept: EmailSubmission, at date: Date) async throws -> StorageChange {
        let email = try await store.read.emails([kept.emailID], in: kept.accountID).first?.email
        let subject = email?.header.subject ?? ""
        let text =
            (subject.isEmpty ? "A message without subject" : "“\(subject)”")
            + " will be sent later from this computer, which must be on then. \(kept.failure ?? "")"
        return try Notice(accountID: kept.accountID, text: text, at: date)
            .change(id: "kept-here-\(kept.id)")
    }
}
