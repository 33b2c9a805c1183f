/// The rules of a page's style sheets, to be written into the elements that they are about: what quotes a page cannot
/// bring style sheets along, which would change the message around it, and which many programs remove.
struct SheetRules {
    private struct Rule {
        var selector: Selector
        var order: Int
        var usual: String
        var important: String
    }

    /// By what an element must have: see `Selector.key`.
    private var rules: [String: [Rule]] = [:]
    private var count = 0

    /// The rules of longer style sheets are left out from there on.
    private static let mostRules = 5000

    static let none = SheetRules()

    private init() {}

    init(of page: borrowing HTMLTree) {
        var text = SheetText()
        page.walk(&text)
        var remote = RemoteContent(remoteURL: nil, isLoadable: { _ in true })
        read(StyleFilter.sheet(text.text, &remote)[...])
    }

    var isEmpty: Bool { rules.isEmpty }

    /// The declarations about the last of these elements, the strongest last.
    func declarations(for path: [Selector.Step], stepsLeft: inout Int) -> (
        usual: [String], important: [String]
    ) {
        guard stepsLeft > 0, let step = path.last else { return ([], []) }
        let keys = ["*", step.element.name] + step.classes.map { ".\($0)" }
        var found: [Rule] = []
        for key in keys {
            for rule in rules[key] ?? [] where rule.selector.matches(path, stepsLeft: &stepsLeft) {
                found.append(rule)
            }
        }
        // They cost more than comparisons: all of them are written.
        stepsLeft -= 20 * found.count
        found.sort { ($0.selector.specificity, $0.order) < ($1.selector.specificity, $1.order) }
        return (found.map(\.usual), found.map(\.important))
    }

    // MARK: Reading

    /// - Parameter sheet: as `StyleFilter` writes one, in which braces are nothing but the ends of rules.
    private mutating func read(_ sheet: Substring) {
        var rest = sheet
        while count < Self.mostRules, let open = rest.firstIndex(of: "{") {
            let prelude = rest[..<open]
            let body = rest[rest.index(after: open)...]
            let isMedia = prelude.hasPrefix("@")
            guard let close = isMedia ? Self.endOfMedia(body) : body.firstIndex(of: "}") else { return }
            if !isMedia {
                add(prelude, String(body[..<close]))
            } else if Self.isScreen(prelude) {
                read(body[..<close])
            }
            rest = body[body.index(after: close)...]
        }
    }

    private static func endOfMedia(_ body: Substring) -> Substring.Index? {
        var depth = 1
        return body.indices.first { index in
            if body[index] == "{" { depth += 1 }
            if body[index] == "}" { depth -= 1 }
            return depth == 0
        }
    }

    /// Whether it is about every screen. The size of the recipients' is not known.
    private static func isScreen(_ prelude: Substring) -> Bool {
        let query = prelude.lowercased().dropFirst("@media".count).split { $0.isWhitespace }.joined(
            separator: " ")
        return ["", "all", "screen", "only screen", "screen, print", "print, screen"].contains(query)
    }

    private mutating func add(_ prelude: Substring, _ body: String) {
        let pieces = StyleFilter.pieces(of: body, at: UInt8(ascii: ";")).filter { !$0.hasPrefix("--") }
        let isImportant = { (piece: Substring) in piece.lowercased().containsBytes(of: "important") }
        let usual = pieces.filter { !isImportant($0) }.joined(separator: ";")
        let important = pieces.filter(isImportant).joined(separator: ";")
        for one in prelude.split(separator: ",") where count < Self.mostRules {
            guard let selector = Selector(one) else { continue }
            count += 1
            rules[selector.key ?? "*", default: []].append(
                Rule(selector: selector, order: count, usual: usual, important: important))
        }
    }
}

/// Collects the style sheets of a page.
private struct SheetText: HTMLVisitor {
    var text = ""
    private var isInSheet = false

    mutating func enter(_ element: HTMLElement) -> Bool {
        if element.isForeign || SafeElements.dropped.contains(element.name) { return false }
        isInSheet = element.name == "style"
        return true
    }

    mutating func leave(_ name: String) {
        if name == "style" { text += "\n" }
        isInSheet = false
    }

    mutating func text(_ text: String) {
        if isInSheet { self.text += text }
    }
}
