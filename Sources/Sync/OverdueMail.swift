import FoundationEssentials
import Mail
import MailKernelAPI

/// What a reading of all mail says of messages that were waited for and did not come.
extension UnnamedEmails {
    /// How long a service may take to show what it has taken.
    private static let patience = 60.0

    /// All mail was read. What the service took long before that, and is not found where it was put, another program
    /// has moved or deleted; moved, it was read as another email. What was destroyed here long before that, and was
    /// not found, has never arrived.
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
        let notes = try await all()
        guard !notes.isEmpty else { return nil }
        let spared = try await step?.underWay(in: accountID) ?? []
        var next: Date?
        var overdue: [Id<Email>] = []
        for (id, note) in notes where note.fate != .awaited || !spared.contains(id) {
            let waited = abs(began.timeIntervalSince(note.since))
            if waited >= Self.patience {
                overdue.append(id)
            } else if note.fate == .awaited || unread.isEmpty {
                next = min(next ?? .distantFuture, began + (Self.patience - waited))
            }
        }
        if !overdue.isEmpty { try await giveUp(overdue, since: window, except: unread) }
        return next
    }

    private func giveUp(_ ids: [Id<Email>], since window: Date?, except unread: UnreadFeeds) async throws {
        let map = try await RemoteMap.load(accountID, from: store)
        try await store.commitNamed(in: accountID) {
            var changes: [StorageChange] = []
            for id in ids {
                switch try await note(on: id)?.fate {
                case nil: continue
                case .unwanted:
                    if unread.isEmpty { changes.append(settled(id)) }
                case .awaited:
                    let email = try await store.read.emails([id], in: accountID).first?.email
                    if let email, unread.concern(email.mailboxIDs, map) { continue }
                    changes.append(settled(id))
                    guard let email, window.map({ email.receivedAt >= $0 }) ?? true,
                        try await store.read.remoteRefs(of: [id], in: accountID).isEmpty
                    else { continue }
                    changes.append(.destroyEmail(id, in: accountID))
                }
            }
            return changes
        }
    }
}
