import MailKernelAPI

/// The words of an email, by where they stand: the store's full-text index.
struct SearchableText: Sendable {
    enum Field: CaseIterable {
        case from, to, cc, bcc, subject, body
    }

    /// The words of one field: in their order, for phrases, and sorted, to find one quickly.
    struct Words: Sendable {
        let inOrder: [String]
        private let sorted: [String]

        init(_ text: String) {
            inOrder = TextFolding.words(of: text).map(\.folded)
            sorted = Set(inOrder).sorted()
        }

        func contains(_ term: SearchTerms.Term) -> Bool {
            guard let first = term.words.first else { return true }
            let isPrefix = term.lastIsPrefix && term.words.count == 1
            guard let found = firstWord(notBefore: first) else { return false }
            guard isPrefix ? found.hasPrefix(first) : found == first else { return false }
            return term.words.count == 1 || term.occurrence(in: inOrder) != nil
        }

        private func firstWord(notBefore word: String) -> String? {
            var low = 0
            var high = sorted.count
            while low < high {
                let middle = (low + high) / 2
                if sorted[middle] < word { low = middle + 1 } else { high = middle }
            }
            return low < sorted.count ? sorted[low] : nil
        }
    }

    private let fields: [Field: Words]

    init(_ email: Email, _ body: EmailBody) {
        let header = email.header
        fields = [
            .from: Self.words(of: header.from), .to: Self.words(of: header.to),
            .cc: Self.words(of: header.cc), .bcc: Self.words(of: header.bcc),
            .subject: Words(header.subject ?? ""), .body: Words(Self.bodyText(body)),
        ]
    }

    func contains(_ term: SearchTerms.Term, in among: [Field]) -> Bool {
        among.contains { fields[$0]?.contains(term) ?? false }
    }

    func words(of field: Field) -> [String] {
        fields[field]?.inOrder ?? []
    }

    var bytes: Int {
        fields.values.reduce(0) { sum, words in words.inOrder.reduce(sum) { $0 + $1.utf8.count + 8 } }
    }

    private static func words(of addresses: [EmailAddress]) -> Words {
        Words(plain(addresses))
    }

    static func plain(_ addresses: [EmailAddress]) -> String {
        addresses.map { "\($0.name ?? "") \($0.email)" }.joined(separator: " ")
    }

    /// What a reader would see of the texts of a message.
    static func bodyText(_ body: EmailBody) -> String {
        texts(of: body.structure, body.values).joined(separator: "\n")
    }

    private static func texts(of part: EmailBodyPart, _ values: [String: EmailBodyValue]) -> [String] {
        let value = part.partID.flatMap { values[$0]?.value }
        let own = value.map { part.type == "text/html" ? HTMLText.text(of: $0) : $0 }
        return (own.map { [$0] } ?? []) + part.subParts.flatMap { texts(of: $0, values) }
    }
}

extension EmailRecord {
    /// What stands in a field, as it is.
    func plainText(of field: SearchableText.Field) -> String {
        switch field {
        case .from: SearchableText.plain(email.header.from)
        case .to: SearchableText.plain(email.header.to)
        case .cc: SearchableText.plain(email.header.cc)
        case .bcc: SearchableText.plain(email.header.bcc)
        case .subject: email.header.subject ?? ""
        case .body: SearchableText.bodyText(body)
        }
    }
}
