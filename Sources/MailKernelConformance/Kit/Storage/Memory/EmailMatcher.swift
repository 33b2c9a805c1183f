import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A filter made ready: texts taken apart and roles looked up once, then asked for each email.
struct EmailMatcher {
    private let account: AccountContents
    private let condition: (EmailRecord) -> Bool

    init(_ filter: EmailFilter?, in account: AccountContents) {
        self.account = account
        condition = filter.map { Self.condition($0, in: account) } ?? { _ in true }
    }

    func matches(_ record: EmailRecord) -> Bool {
        condition(record)
    }

    private typealias Condition = (EmailRecord) -> Bool

    private static func condition(_ filter: EmailFilter, in account: AccountContents) -> Condition {
        switch filter {
        case .and(let filters):
            let all = filters.map { condition($0, in: account) }
            return { record in all.allSatisfy { $0(record) } }
        case .or(let filters):
            let any = filters.map { condition($0, in: account) }
            return { record in any.contains { $0(record) } }
        case .not(let filters):
            let none = filters.map { condition($0, in: account) }
            return { record in !none.contains { $0(record) } }
        case .text, .from, .to, .cc, .bcc, .subject, .body:
            guard let (text, fields) = filter.searchedText else { return { _ in false } }
            return occurs(text, in: fields)
        case .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword,
            .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .hasAttachment,
            .header, .category, .inRole:
            return plainCondition(filter, in: account)
        }
    }

    /// Those that look at the properties of the email alone.
    private static func plainCondition(_ filter: EmailFilter, in account: AccountContents) -> Condition {
        switch filter {
        case .inMailbox(let id): return { $0.email.mailboxIDs.contains(id) }
        case .inMailboxOtherThan(let ids):
            let others = Set(ids)
            return { !$0.email.mailboxIDs.isSubset(of: others) }
        case .before(let date): return { $0.email.receivedAt < date }
        case .after(let date): return { $0.email.receivedAt >= date }
        case .minSize(let size): return { $0.email.size >= size }
        case .maxSize(let size): return { $0.email.size < size }
        case .hasKeyword(let keyword): return { $0.email.keywords.contains(keyword) }
        case .notKeyword(let keyword): return { !$0.email.keywords.contains(keyword) }
        case .hasAttachment(let has): return { $0.email.hasAttachment == has }
        case .and, .or, .not, .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword,
            .text, .from, .to, .cc, .bcc, .subject, .body, .header, .category, .inRole:
            return lookingAround(filter, in: account)
        }
    }

    /// Those that look at more than the email.
    private static func lookingAround(_ filter: EmailFilter, in account: AccountContents) -> Condition {
        switch filter {
        case .allInThreadHaveKeyword(let keyword):
            return { account.threadEmails($0.threadID).allSatisfy { $0.keywords.contains(keyword) } }
        case .someInThreadHaveKeyword(let keyword):
            return { account.threadEmails($0.threadID).contains { $0.keywords.contains(keyword) } }
        case .noneInThreadHaveKeyword(let keyword):
            return { !account.threadEmails($0.threadID).contains { $0.keywords.contains(keyword) } }
        case .header(let name, let value): return hasHeader(name, containing: value)
        case .category(let category): return { account.category(of: $0.email.id) == category }
        case .inRole(let role):
            let ids = account.mailboxIDs(withRoleIn: [role])
            return { !$0.email.mailboxIDs.isDisjoint(with: ids) }
        case .and, .or, .not, .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize,
            .hasKeyword, .notKeyword, .hasAttachment, .text, .from, .to, .cc, .bcc, .subject, .body:
            return { _ in false }
        }
    }

    private static func occurs(_ text: String, in fields: [SearchableText.Field]) -> Condition {
        let search = SearchTerms(text)
        return { record in
            search.terms.allSatisfy { record.words.contain($0, in: fields) }
                && SignText.occur(search.signs, in: fields, of: record.email, record.body)
        }
    }

    private static func hasHeader(_ name: String, containing value: String?) -> Condition {
        let value = value.map(TextFolding.fold) ?? ""
        return { $0.body.headers.contains { $0.matches(name: name, folded: value) } }
    }
}

extension AccountContents {
    func threadEmails(_ id: Id<EmailThread>) -> [Email] {
        (threads.emailIDs(of: id) ?? []).compactMap { emails[$0]?.email }
    }
}
