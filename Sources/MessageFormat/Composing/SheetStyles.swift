/// What the style sheets of a page say about each of its elements, while it is walked through.
struct SheetStyles {
    private let rules: SheetRules
    private var path: [Selector.Step] = []
    /// How many elements each open one holds so far.
    private var children = [0]
    /// Comparisons: a page made to take long is quoted without the rest of its style.
    private var stepsLeft = 2_000_000
    /// Bytes, so that a quote is not much longer than its page.
    private var bytesLeft: Int

    init(_ rules: SheetRules, limit: Int) {
        self.rules = rules
        bytesLeft = limit
    }

    /// An element begins.
    ///
    /// - Returns: all that is said about it, its own style included.
    mutating func enter(_ element: HTMLElement) -> String? {
        guard !rules.isEmpty else { return element["style"] }
        children[children.count - 1] += 1
        path.append(Selector.Step(element, isFirst: children.last == 1))
        children.append(0)
        let (usual, important) = rules.declarations(for: path, stepsLeft: &stepsLeft)
        guard !usual.isEmpty else { return element["style"] }
        let own = element["style"] ?? ""
        let style = Self.once(usual + [own] + important)
        let added = max(0, style.utf8.count - own.utf8.count)
        guard added <= bytesLeft else { return element["style"] }
        bytesLeft -= added
        return style
    }

    mutating func leave() {
        guard !rules.isEmpty else { return }
        path.removeLast()
        children.removeLast()
    }

    /// Without declarations that a later one of the same name overrules.
    private static func once(_ styles: [String]) -> String {
        let all = styles.flatMap { StyleFilter.pieces(of: $0, at: UInt8(ascii: ";")) }
            .filter { $0.contains { !$0.isWhitespace } }
        var seen: Set<String> = []
        let kept = all.reversed().filter { piece in
            // What is important counts against later ones.
            let name = piece.prefix { $0 != ":" }.lowercased().trimmingBlanks()
            return piece.contains("!") || seen.insert(name).inserted
        }
        return kept.reversed().joined(separator: ";")
    }
}
