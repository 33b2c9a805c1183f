import MailKernelAPI

/// The words of an email by where they stand, as the index takes them: folded, a space between them.
struct SearchableText: Equatable {
    enum Field: String, CaseIterable {
        case from, to, cc, bcc, subject, body

        /// The names of columns: `from` and `to` are words of SQL.
        var column: String { "in_" + rawValue }
    }

    /// In the order of `Field.allCases`.
    let fields: [String]

    init(_ email: Email, _ body: EmailBody) {
        let header = email.header
        fields = [
            Self.words(of: header.from), Self.words(of: header.to), Self.words(of: header.cc),
            Self.words(of: header.bcc), TextFolding.wordList(header.subject ?? ""), Self.words(of: body),
        ]
    }

    var bytes: Int { fields.reduce(0) { $0 + $1.utf8.count } }

    /// A text in a field, as in the message.
    struct Raw {
        var text: String
        var isMarkup = false
    }

    static func texts(of field: Field, _ email: Email, _ body: EmailBody) -> [Raw] {
        let header = email.header
        func all(_ addresses: [EmailAddress]) -> [Raw] {
            addresses.flatMap { [$0.name ?? "", $0.email] }.map { Raw(text: $0) }
        }
        switch field {
        case .from: return all(header.from)
        case .to: return all(header.to)
        case .cc: return all(header.cc)
        case .bcc: return all(header.bcc)
        case .subject: return [Raw(text: header.subject ?? "")]
        case .body: return raw(body.structure, body.values)
        }
    }

    private static func raw(_ part: EmailBodyPart, _ values: [String: EmailBodyValue]) -> [Raw] {
        let own = part.partID.flatMap { values[$0]?.value }.map {
            Raw(text: $0, isMarkup: part.type == "text/html")
        }
        return (own.map { [$0] } ?? []) + part.subParts.flatMap { raw($0, values) }
    }

    private static func words(of addresses: [EmailAddress]) -> String {
        TextFolding.wordList(addresses.map { "\($0.name ?? "") \($0.email)" }.joined(separator: " "))
    }

    /// What a reader would see of the texts of a message.
    static func bodyText(_ body: EmailBody) -> String { texts(of: body).joined(separator: "\n") }

    private static func texts(of body: EmailBody) -> [String] {
        var texts: [String] = []
        collect(body.structure, body.values, into: &texts)
        return texts
    }

    /// A message that says the same twice, in plain text and in HTML, is found no better for it.
    private static func words(of body: EmailBody) -> String {
        var lists: [String] = []
        for text in texts(of: body) {
            let list = TextFolding.wordList(text)
            if !list.isEmpty, !lists.contains(list) { lists.append(list) }
        }
        return lists.joined(separator: " ")
    }

    private static func collect(
        _ part: EmailBodyPart, _ values: [String: EmailBodyValue], into texts: inout [String]
    ) {
        if let value = part.partID.flatMap({ values[$0]?.value }) {
            texts.append(part.type == "text/html" ? HTMLText.text(of: value) : value)
        }
        for part in part.subParts { collect(part, values, into: &texts) }
    }
}
