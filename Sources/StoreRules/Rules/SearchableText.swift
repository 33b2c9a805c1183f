public import MailKernelAPI

/// The words of an email by field, ready for a full-text index: folded, with a space between them.
public struct SearchableText: Sendable, Equatable {
    /// A part of an email that a search can be limited to.
    public enum Field: String, Sendable, CaseIterable {
        /// The senders' names and addresses.
        case from
        /// The names and addresses in To.
        case to
        /// The names and addresses in Cc.
        case cc
        /// The names and addresses in Bcc.
        case bcc
        /// The subject.
        case subject
        /// The texts of the body, as a reader sees them.
        case body
    }

    /// The words of each field, in the order of `Field.allCases`.
    public let fields: [String]

    /// Folds the texts of an email. This is most of the time that indexing takes.
    public init(_ email: Email, _ body: EmailBody) {
        let header = email.header
        fields = [
            Self.words(of: header.from), Self.words(of: header.to), Self.words(of: header.cc),
            Self.words(of: header.bcc), TextFolding.wordList(header.subject ?? ""), Self.words(of: body),
        ]
    }

    /// The bytes of all words, for estimates of an index's size.
    public var bytes: Int { fields.reduce(0) { $0 + $1.utf8.count } }

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

    /// The texts of a message as a reader sees them.
    static func bodyText(_ body: EmailBody) -> String { texts(of: body).joined(separator: "\n") }

    private static func texts(of body: EmailBody) -> [String] {
        var texts: [String] = []
        collect(body.structure, body.values, into: &texts)
        return texts
    }

    /// The same words in plain text and in HTML count once, so that such a message does not rank higher.
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
