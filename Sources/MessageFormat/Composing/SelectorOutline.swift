/// What can be told of a selector that is not read exactly: which elements it may be about.
struct SelectorOutline {
    /// The class, id or name that the element must have; `*` if it may be any.
    let key: String
    /// Classes, ids, names and attributes that the page must have somewhere.
    private let needs: [String]
    /// Whether it is about the pointer, or about something that is no element.
    private let isNever: Bool

    init(_ text: Substring) {
        var needs: [String] = []
        var key: String?
        var isNever = false
        var rest = text
        while let first = rest.first {
            rest.removeFirst()
            switch first {
            case "(": Self.skip(&rest, to: ")", nesting: "(")
            case "[":
                let name = Self.word(&rest).lowercased()
                if !name.isEmpty, !Self.added.contains(name) {
                    needs.append("[\(name)]")
                    key = key ?? "[\(name)]"
                }
                Self.skip(&rest, to: "]", nesting: "[")
            case ".", "#":
                let word = "\(first)\(Self.word(&rest))".lowercased()
                needs.append(word)
                if key?.first != ".", key?.first != "#" { key = word }
            case ":":
                isNever = isNever || rest.first == ":" || Self.never.contains(Self.word(&rest).lowercased())
            case ">", "+", "~", " ", "\t", "\n", "\r": key = nil
            case "*": break
            default:
                let name = (String(first) + Self.word(&rest)).lowercased()
                if !Self.roots.contains(name) { needs.append(name) }
                key = key ?? name
            }
        }
        self.key = key ?? "*"
        self.needs = needs
        self.isNever = isNever
    }

    /// - Parameter names: of the page: see `SheetText`.
    func mayMatch(_ names: Set<String>) -> Bool { !isNever && needs.allSatisfy(names.contains) }

    static func names(of element: HTMLElement) -> [String] {
        var names = [element.name] + element.attributes.map { "[\($0.name)]" }
        for name in (element["class"] ?? "").split(whereSeparator: \.isWhitespace) {
            names.append(".\(name)".lowercased())
        }
        if let id = element["id"] { names.append("#\(id)".lowercased()) }
        return names
    }

    /// The page in which a message is read has them in any case.
    private static let roots: Set<String> = ["html", "head", "body", "div"]
    /// Attributes that elements have there, and not in the message.
    private static let added: Set<String> = [
        "data-quote", "data-blocked", "data-remote", "rel", "target", "src", "style", "dir", "lang",
    ]

    private static let never: Set<String> = [
        "hover", "active", "focus", "focus-within", "focus-visible", "before", "after", "first-line",
    ]

    private static func word(_ rest: inout Substring) -> Substring {
        let word = rest.prefix { $0 == "-" || $0 == "_" || !$0.isASCII || $0.isLetter || $0.isNumber }
        rest = rest[word.endIndex...]
        return word
    }

    private static func skip(_ rest: inout Substring, to end: Character, nesting: Character) {
        var depth = 1
        while depth > 0, let next = rest.popFirst() {
            if next == nesting { depth += 1 }
            if next == end { depth -= 1 }
        }
    }
}
