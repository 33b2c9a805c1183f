import Mail
import MailKernelAPI

/// Finds the mailboxes of this device among those at an account's new place: by their roles, else by their names and
/// parents.
struct SameMailboxes {
    private let stored: [Mailbox]

    /// - Parameter pending: the service knows mailboxes that were renamed here by their earlier names.
    init(_ stored: [Mailbox], _ pending: [PendingChange]) {
        let own = [OwnArchive.id, OwnDrafts.id]
        let earlier = pending.compactMap { change -> Mailbox? in
            if case .renameMailbox(_, let old) = change.kind { old } else { nil }
        }
        let names = Dictionary(earlier.map { ($0.id, $0) }) { first, _ in first }
        self.stored = stored.filter { mailbox in !own.contains { $0(mailbox.accountID) == mailbox.id } }
            .map { names[$0.id] ?? $0 }
    }

    /// - Parameter listing: parents before their children.
    func link(_ listing: [RemoteMailbox], in map: inout RemoteMap) {
        var free = stored.filter { mailbox in !map.mailboxes.values.contains(mailbox.id) }
        let roles = Set(listing.compactMap(\.role))
        for mailbox in listing where map.local(mailbox.id) == nil {
            let parent = mailbox.parentID.flatMap { map.local($0) }
            let same =
                free.firstIndex { $0.role != nil && $0.role == mailbox.role }
                ?? free.firstIndex { local in
                    // One that has a role here is the mailbox with that role there.
                    local.name == mailbox.name && local.parentID == parent
                        && (local.role.map { mailbox.role == nil && !roles.contains($0) } ?? true)
                }
            guard let same else { continue }
            map.link(mailbox.id, to: free.remove(at: same).id)
        }
    }
}
