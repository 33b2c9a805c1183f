import MailKernelAPI
import StoreRules

/// Judges one message by a filter, without asking a store: what a service found, or what has just arrived.
package struct MessageJudge: Sendable {
    /// A message with all that a filter may ask about.
    package struct Candidate: Sendable {
        fileprivate let email: Email
        fileprivate let body: EmailBody
        fileprivate let words: [[String]]
        fileprivate let attachments: [AttachmentName]
        /// Whether a text that is not found may be in a part that was not read.
        fileprivate let isCut: Bool

        /// - Parameter isCut: nil if its body says it.
        package init(_ email: Email, _ body: EmailBody, isCut: Bool? = nil) {
            self.email = email
            self.body = body
            self.isCut = isCut ?? body.values.values.contains { $0.isTruncated }
            words = SearchableText(email, body).fields.map { $0.split(separator: " ").map(String.init) }
            attachments = AttachmentName.all(of: body)
        }
    }

    private let filter: MailFilter
    private let roles: [Mailbox.Role: Set<Id<Mailbox>>]

    /// Nil if the filter asks for more than one message can show.
    package init?(_ filter: MailFilter, mailboxes: [Mailbox]) {
        guard filter.unjudged == nil else { return nil }
        self.filter = filter
        roles = Dictionary(
            grouping: mailboxes.filter { $0.role != nil }, by: { $0.role ?? .inbox }
        ).mapValues { Set($0.map(\.id)) }
    }

    /// Whether a message passes; nil if that depends on text that was not read.
    package func verdict(on candidate: Candidate) -> Bool? { verdict(filter, candidate) }

    private func verdict(_ filter: MailFilter, _ candidate: Candidate) -> Bool? {
        switch filter {
        case .all(let filters): Self.all(filters.lazy.map { verdict($0, candidate) })
        case .any(let filters): Self.any(filters.lazy.map { verdict($0, candidate) })
        case .none(let filters): Self.any(filters.lazy.map { verdict($0, candidate) }).map { !$0 }
        case .attachment(let test): candidate.attachments.contains { test.passes($0) }
        case .stored(let filter): verdict(filter, candidate)
        }
    }

    private func verdict(_ filter: EmailFilter, _ candidate: Candidate) -> Bool? {
        let email = candidate.email
        switch filter {
        case .and(let filters): return Self.all(filters.lazy.map { verdict($0, candidate) })
        case .or(let filters): return Self.any(filters.lazy.map { verdict($0, candidate) })
        case .not(let filters): return Self.any(filters.lazy.map { verdict($0, candidate) }).map { !$0 }
        case .inMailbox(let id): return email.mailboxIDs.contains(id)
        case .inMailboxOtherThan(let ids): return !email.mailboxIDs.isSubset(of: ids)
        case .inRole(let role): return !email.mailboxIDs.isDisjoint(with: roles[role] ?? [])
        case .before(let date): return email.receivedAt < date
        case .after(let date): return email.receivedAt >= date
        case .minSize(let size): return email.size >= size
        case .maxSize(let size): return email.size < size
        case .hasKeyword(let keyword): return email.keywords.contains(keyword)
        case .notKeyword(let keyword): return !email.keywords.contains(keyword)
        case .hasAttachment(let wanted): return email.hasAttachment == wanted
        case .header(let name, let value):
            let folded = value.map(TextFolding.fold) ?? ""
            return candidate.body.headers.contains { $0.matches(name: name, folded: folded) }
        case .text, .from, .to, .cc, .bcc, .subject, .body: return occurs(filter, candidate)
        case .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .category:
            return nil
        }
    }

    private func occurs(_ filter: EmailFilter, _ candidate: Candidate) -> Bool? {
        guard let (text, fields) = filter.searchedText else { return nil }
        let search = SearchTerms(text)
        let places = zip(SearchableText.Field.allCases, candidate.words).filter { fields.contains($0.0) }
        let isFound =
            search.terms.allSatisfy { term in
                places.contains { term.occurrence(in: $0.1) != nil }
            } && SignText.occur(search.signs, in: fields, of: candidate.email, candidate.body)
        return isFound ? true : candidate.isCut && fields.contains(.body) ? nil : false
    }

    private static func all(_ verdicts: some Sequence<Bool?>) -> Bool? {
        var isSure = true
        for verdict in verdicts {
            guard let verdict else {
                isSure = false
                continue
            }
            if !verdict { return false }
        }
        return isSure ? true : nil
    }

    private static func any(_ verdicts: some Sequence<Bool?>) -> Bool? {
        var isSure = true
        for verdict in verdicts {
            guard let verdict else {
                isSure = false
                continue
            }
            if verdict { return true }
        }
        return isSure ? false : nil
    }
}

extension MailFilter {
    /// What in it cannot be seen in a message alone, as in “category”; nil if everything can.
    package var unjudged: String? {
        switch self {
        case .all(let filters), .any(let filters), .none(let filters):
            filters.lazy.compactMap(\.unjudged).first
        case .stored(let filter): filter.unjudged
        case .attachment: nil
        }
    }
}

extension EmailFilter {
    fileprivate var unjudged: String? {
        switch self {
        case .and(let filters), .or(let filters), .not(let filters): filters.lazy.compactMap(\.unjudged).first
        case .category: "category"
        case .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword:
            "conversation"
        case .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword,
            .hasAttachment, .text, .from, .to, .cc, .bcc, .subject, .body, .header, .inRole:
            nil
        }
    }
}
