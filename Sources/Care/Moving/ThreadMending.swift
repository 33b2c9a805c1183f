import FoundationEssentials
import MailKernelAPI
import Store

/// Puts conversations together again that fell apart in the new store: a store also remembers messages that were removed
/// since and connected others.
struct ThreadMending {
    let source: MailStore
    let destination: MailStore
    let accountID: Id<Account>

    func run() async throws {
        for id in try await brokenThreads() {
            try Task.checkCancellation()
            try await join(id)
        }
    }

    /// Threads of the old store whose emails are in several threads of the new one.
    private func brokenThreads() async throws -> [Id<EmailThread>] {
        let reader = EmailReader(store: source, accountID: accountID)
        var homes: [Id<EmailThread>: Id<EmailThread>] = [:]
        var broken: Set<Id<EmailThread>> = []
        var page = try await reader.page(after: nil)
        while let last = page.last {
            let there = try await destination.read.emails(page.map(\.email.id), in: accountID)
            guard there.count == page.count else { throw MoveProblem.unreadable }
            for (old, new) in zip(page, there) {
                let known = homes.updateValue(new.threadID, forKey: old.threadID)
                if let known, known != new.threadID { broken.insert(old.threadID) }
            }
            page = try await reader.page(after: last.email.id.rawValue)
        }
        return broken.sorted()
    }

    /// For a moment, an email of each part names the same message. A thread keeps what an email said that was replaced.
    private func join(_ id: Id<EmailThread>) async throws {
        guard let thread = try await source.read.threads([id], in: accountID).first else { return }
        var parts: Set<Id<EmailThread>> = []
        var linked: [StorageChange] = []
        var restored: [StorageChange] = []
        for stored in try await destination.read.emails(thread.emailIDs, in: accountID)
        where parts.insert(stored.threadID).inserted {
            guard let body = try await destination.read.body(of: stored.email.id, in: accountID) else {
                throw MoveProblem.unreadable
            }
            var email = stored.email
            email.header.references.insert("moved-\(id)@mailkernel.invalid", at: 0)
            linked.append(.putEmail(email, body))
            restored.append(.putEmail(stored.email, body))
        }
        try await destination.commit(linked + restored)
    }
}
