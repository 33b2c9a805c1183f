/// What tests ask about a message, found once and kept for the next test.
final class MessageFacts {
    let message: any SieveMessage
    private let limits: SieveLimits
    private let budget: Budget
    private var texts: [String: [Bytes]] = [:]
    private lazy var headers = message.headers
    /// The values of the message's own fields, by their names in lower case: for scripts that ask for many.
    private lazy var ownFields = Dictionary(grouping: headers, by: \.name.lowered)
        .mapValues { $0.map(\.value) }
    private var searches = 0
    private static let mostSearches = 16
    private(set) lazy var structure = message.structure
    private(set) lazy var allParts = parts(of: structure)

    init(_ message: any SieveMessage, limits: SieveLimits, budget: Budget) {
        self.message = message
        self.limits = limits
        self.budget = budget
    }

    private var words: EncodedWords {
        let message = message
        return EncodedWords { message.decode($0, charset: $1) }
    }

    /// The values of the fields with a name, as they are in the message.
    func fields(_ name: String, of part: SievePart?) -> [Bytes] {
        if part == nil {
            searches += 1
            if searches > Self.mostSearches { return ownFields[name] ?? [] }
        }
        var values: [Bytes] = []
        for header in part?.headers ?? headers where header.name.isLowered(name) {
            values.append(header.value)
        }
        return values
    }

    /// The values of the fields with a name, to read.
    func texts(_ name: String, of part: SievePart?) throws(SieveError) -> [Bytes] {
        if part == nil, let known = texts[name] { return known }
        var found: [Bytes] = []
        for field in fields(name, of: part) {
            try budget.spend(field.count)
            found.append(words.text(of: field))
        }
        if part == nil { texts[name] = found }
        return found
    }

    func content(_ field: String, of part: SievePart) -> ContentField? {
        fields(field, of: part).first.map(ContentField.init)
    }

    func parameter(_ name: String, of field: ContentField) -> Bytes? {
        let message = message
        return field.parameter(name.lowered) { message.decode($0, charset: $1) }.map { words.text(of: $0) }
    }

    /// A part and all parts below it, in the order of the message.
    func parts(of root: SievePart) -> [SievePart] {
        var found: [SievePart] = []
        var waiting = [(root, 0)]
        while let (part, depth) = waiting.popLast(), found.count < limits.parts {
            found.append(part)
            guard depth < limits.partNesting else { continue }
            waiting += part.parts.prefix(limits.parts).reversed().map { ($0, depth + 1) }
        }
        return found
    }

    /// The text of a part in UTF-8; of HTML, if `isPlain`, only what is to be read.
    func text(of part: SievePart, isPlain: Bool) throws(SieveError) -> Bytes {
        try text(of: part, content("content-type", of: part), isPlain: isPlain)
    }

    /// The same for a part whose type was read already.
    func text(of part: SievePart, _ type: ContentField?, isPlain: Bool) throws(SieveError) -> Bytes {
        let content = part.content()
        try budget.spend(content.count)
        guard type.map({ $0.type == "text" || $0.value.isEmpty }) ?? true else { return content }
        let message = message
        let charset = type.flatMap { parameter("charset", of: $0) }?.text ?? ""
        let text = Charset.text(content, charset) { message.decode($0, charset: $1) }
        return isPlain && type?.subtype == "html" ? HTMLWords.text(of: text) : text
    }
}
