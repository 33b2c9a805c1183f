import FoundationEssentials
import MailKernelAPI

/// Tells the user that a message waits because no window of the page is open.
struct WaitingNotice {
    /// How long the page may be closed before that is worth telling.
    static let patience = 3.0
    private static let id = "waiting-to-send"

    static func isOne(_ id: String) -> Bool { id.hasPrefix(Self.id) }

    let store: MailStore

    /// One notice for all that waits; none where nothing does.
    func set(for waiting: Set<Id<EmailSubmission>>, at date: Date) async throws {
        for account in try await store.backend.accounts() {
            let found = try await store.backend.submissions(Array(waiting), in: account.id)
            let key = Notices.key("\(Self.id)-\(account.id)")
            let old = try await store.backend.document(key)
            guard !found.isEmpty else {
                if old != nil { try await store.commit([.destroyDocument(key)]) }
                continue
            }
            let text =
                found.count == 1
                ? "A message is waiting to be sent. It will be sent once mailkernel is open again."
                : "\(found.count) messages are waiting to be sent. They will be sent once mailkernel is open again."
            let notice = Notice(account: account, text: text, at: date)
            try await store.commit([try notice.change(id: key.name)])
        }
    }
}
