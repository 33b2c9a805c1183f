import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Puts the emails of a query in order.
struct EmailOrder {
    /// What an email is compared by, one key per property.
    private enum Key: Comparable {
        case flag(Bool)
        case number(Double)
        case text(String)

        static func < (one: Key, other: Key) -> Bool {
            switch (one, other) {
            case (.flag(let one), .flag(let other)): !one && other
            case (.number(let one), .number(let other)): one < other
            case (.text(let one), .text(let other)): one < other
            default: false
            }
        }
    }

    struct Candidate {
        var record: EmailRecord
        var account: AccountContents
    }

    private let sort: [EmailSort]
    private let terms: [SearchTerms.Term]

    init(_ query: EmailQuery) {
        sort = query.sort.isEmpty ? [EmailSort(.receivedAt, isAscending: false)] : query.sort
        terms = query.filter?.wantedTexts.flatMap { SearchTerms($0.text).terms } ?? []
    }

    func sorted(_ candidates: [Candidate]) -> [EmailRecord] {
        let keyed = candidates.map { candidate in
            (keys: sort.map { key(candidate, $0.property) }, record: candidate.record)
        }
        return keyed.sorted { isBefore($0, $1) }.map(\.record)
    }

    private func isBefore(
        _ one: (keys: [Key], record: EmailRecord), _ other: (keys: [Key], record: EmailRecord)
    ) -> Bool {
        for (index, property) in sort.enumerated() where one.keys[index] != other.keys[index] {
            return (one.keys[index] < other.keys[index]) == property.isAscending
        }
        let (email, otherEmail) = (one.record.email, other.record.email)
        return (email.id, email.accountID) < (otherEmail.id, otherEmail.accountID)
    }

    private func key(_ candidate: Candidate, _ property: EmailSort.Property) -> Key {
        let email = candidate.record.email
        switch property {
        case .receivedAt: return .number(email.receivedAt.timeIntervalSince1970)
        case .sentAt: return .number((email.header.sentAt ?? email.receivedAt).timeIntervalSince1970)
        case .size: return .number(Double(email.size))
        case .from: return .text(SortText.name(of: email.header.from))
        case .to: return .text(SortText.name(of: email.header.to))
        case .subject: return .text(SortText.subject(of: email.header))
        case .hasKeyword(let keyword): return .flag(email.keywords.contains(keyword))
        case .allInThreadHaveKeyword(let keyword):
            let thread = candidate.account.threadEmails(candidate.record.threadID)
            return .flag(thread.allSatisfy { $0.keywords.contains(keyword) })
        case .someInThreadHaveKeyword(let keyword):
            let thread = candidate.account.threadEmails(candidate.record.threadID)
            return .flag(thread.contains { $0.keywords.contains(keyword) })
        case .relevance: return .number(-relevance(of: candidate.record.words))
        }
    }

    /// How often the terms occur, a subject weighing more than a body and a long text less than a
    /// short one.
    private func relevance(of record: RecordWords) -> Double {
        SearchableText.Field.allCases.reduce(0) { sum, field in
            let words = record.words(of: field)
            let hits = terms.reduce(0) { $0 + Self.count($1, in: words) }
            let weight = field == .body ? 1.0 : field == .subject ? 3.0 : 2.0
            return sum + weight * Double(hits) / (20 + Double(words.count))
        }
    }

    private static func count(_ term: SearchTerms.Term, in words: [String]) -> Int {
        var count = 0
        var next = 0
        while let found = term.occurrence(in: words, from: next) {
            count += 1
            next = found + 1
        }
        return count
    }
}
