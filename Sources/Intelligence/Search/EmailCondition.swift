import FoundationEssentials
import MailKernelAPI

/// The conditions of a search other than its words, as far as they can be checked on an email: mailbox, date,
/// keywords.
struct EmailCondition: Sendable {
    private let filters: [EmailFilter]
    private let roles: [Mailbox.Role: Set<Id<Mailbox>>]

    /// Nil if something is asked that cannot be seen there.
    init?(_ filters: [EmailFilter], mailboxes: [Mailbox]) {
        guard filters.allSatisfy(Self.isVisible) else { return nil }
        self.filters = filters
        roles = Dictionary(
            grouping: mailboxes.filter { $0.role != nil }, by: { $0.role ?? .inbox }
        ).mapValues { Set($0.map(\.id)) }
    }

    func holds(for email: Email) -> Bool { filters.allSatisfy { holds($0, email) } }

    private static func isVisible(_ filter: EmailFilter) -> Bool {
        switch filter {
        case .and(let filters), .or(let filters), .not(let filters): filters.allSatisfy(isVisible)
        case .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword,
            .hasAttachment, .inRole:
            true
        case .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .text, .from, .to,
            .cc, .bcc, .subject, .body, .header, .category:
            false
        }
    }

    private func holds(_ filter: EmailFilter, _ email: Email) -> Bool {
        switch filter {
        case .and(let filters): filters.allSatisfy { holds($0, email) }
        case .or(let filters): filters.contains { holds($0, email) }
        case .not(let filters): !filters.contains { holds($0, email) }
        case .inMailbox(let id): email.mailboxIDs.contains(id)
        case .inMailboxOtherThan(let ids): !email.mailboxIDs.subtracting(ids).isEmpty
        case .before(let date): email.receivedAt < date
        case .after(let date): email.receivedAt >= date
        case .minSize(let size): email.size >= size
        case .maxSize(let size): email.size < size
        case .hasKeyword(let keyword): email.keywords.contains(keyword)
        case .notKeyword(let keyword): !email.keywords.contains(keyword)
        case .hasAttachment(let wanted): email.hasAttachment == wanted
        case .inRole(let role): !email.mailboxIDs.isDisjoint(with: roles[role] ?? [])
        case .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .text, .from, .to,
            .cc, .bcc, .subject, .body, .header, .category:
            false
        }
    }
}
