import FoundationEssentials
import MailKernelAPI
import Store

/// Tells the user that a message waits because no window of the page is open.
struct WaitingNotice {
    /// How long the page may be closed before that is worth telling.
    static let patience = 3.0

    let store: MailStore

    /// One notice for all that waits; none where nothing does.
    ///
    /// - Parameter own: accounts whose notice this kernel has set; nil if there are no other kernels.
    /// - Returns: accounts with a notice of this kernel.
    func set(
        for waiting: Set<Id<EmailSubmission>>, at date: Date, clearing own: Set<Id<Account>>?
    ) async throws -> Set<Id<Account>> {
        var noticed: Set<Id<Account>> = []
        for account in try await store.read.accounts() {
            let found = try await store.read.submissions(Array(waiting), in: account.id)
            let key = Notices.key(Notices.waitingID(of: account.id))
            let old = try await store.read.document(key)
            guard !found.isEmpty else {
                if old != nil, own?.contains(account.id) != false {
                    try await store.commit([.destroyDocument(key)])
                }
                continue
            }
            let text =
                found.count == 1
                ? "A message is waiting to be sent. It will be sent once mailkernel is open again."
                : "\(found.count) messages are waiting to be sent. They will be sent once mailkernel is open again."
            let notice = Notice(account: account, text: text, at: date)
            try await store.commit([try notice.change(id: key.name)])
            noticed.insert(account.id)
        }
        return noticed
    }
}
