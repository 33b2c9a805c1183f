import FoundationEssentials
import Mail
import MailKernelAPI

/// What a reading of all mail says of messages that were expected and did not come.
extension AppendedMail {
    /// How long a service may take to show what it has taken.
    private static let patience = 60.0

    /// All mail was read: what the service took long before that, and is not found where it was put, another program
    /// has moved or deleted. Moved, it was read as another email.
    ///
    /// - Parameters:
    ///   - began: when the reading began.
    ///   - window: older mail is not told of, so that it may be there all the same.
    ///   - unread: what was put there may be there.
    ///   - step: decides about what it brings there itself.
    /// - Returns: when the next may be known to be gone.
    func settle(
        readFrom began: Date, since window: Date?, except unread: UnreadFeeds, besides step: (any RoundStep)?
    ) async throws -> Date? {
        var next: Date?
        var overdue: [Id<Email>] = []
        let documents = try await store.allDocuments(in: Self.collection, accountID: accountID)
        guard !documents.isEmpty else { return nil }
        let spared = try await step?.underWay(in: accountID) ?? []
        for document in documents {
            let id = Id<Email>(document.key.name)
            guard !spared.contains(id) else { continue }
            let waited = Expectation(document)?.since.map { abs(began.timeIntervalSince($0)) }
            if let waited, waited < Self.patience {
                next = min(next ?? .distantFuture, began + (Self.patience - waited))
            } else {
                overdue.append(id)
            }
        }
        guard !overdue.isEmpty else { return next }
        let ids = try await without(unread, overdue)
        try await store.commitNamed(in: accountID) {
            var changes: [StorageChange] = []
            for id in ids where try await store.read.document(key(id)) != nil {
                changes.append(found(id))
                guard let email = try await store.read.emails([id], in: accountID).first?.email,
                    window.map({ email.receivedAt >= $0 }) ?? true,
                    try await store.read.remoteRefs(of: [id], in: accountID).isEmpty
                else { continue }
                changes.append(.destroyEmail(id, in: accountID))
            }
            return changes
        }
        return next
    }

    private func without(_ unread: UnreadFeeds, _ ids: [Id<Email>]) async throws -> [Id<Email>] {
        guard !unread.isEmpty else { return ids }
        let map = try await RemoteMap.load(accountID, from: store)
        let emails = try await store.read.emails(ids, in: accountID).map(\.email)
        let waiting = Set(emails.filter { unread.concern($0.mailboxIDs, map) }.map(\.id))
        return ids.filter { !waiting.contains($0) }
    }

    /// All mail was read: what was destroyed long before that, and was not found, has never arrived.
    ///
    /// - Parameter began: when the reading began.
    /// - Returns: when the next may be known not to come.
    func neverArrived(readFrom began: Date) async throws -> Date? {
        var next: Date?
        var overdue: [Id<Email>] = []
        for (id, note) in try await unwanted() {
            let waited = note.since.map { abs(began.timeIntervalSince($0)) } ?? Self.patience
            if waited < Self.patience {
                next = min(next ?? .distantFuture, began + (Self.patience - waited))
            } else {
                overdue.append(id)
            }
        }
        if !overdue.isEmpty { try await store.commit(overdue.map { UnwantedMail.gone($0, accountID) }) }
        return next
    }
}
