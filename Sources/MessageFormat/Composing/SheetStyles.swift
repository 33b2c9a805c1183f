/// What the style sheets of a page say about each of its elements, while it is walked through.
struct SheetStyles {
    /// What is said about an element.
    struct Answer {
        /// Its own style included.
        var style: String?
        /// Whether the reader did not see it, or may not have.
        var isHidden = false
    }

    private let rules: SheetRules
    /// Whether to leave out what the page may have hidden from its reader.
    private let isWary: Bool
    private var path: [Selector.Step] = []
    /// How many elements each open one holds so far.
    private var children = [0]
    private var looks = HiddenLooks()
    /// Comparisons and declarations: a page made to take long is quoted without the rest of its style.
    private(set) var stepsLeft: Int
    /// Bytes, so that a quote is not much longer than its page.
    private var bytesLeft: Int

    static let mostSteps = 500_000

    init(_ rules: SheetRules, limit: Int, isWary: Bool) {
        self.rules = rules
        self.isWary = isWary
        bytesLeft = limit
        stepsLeft = Self.mostSteps
    }

    /// Whether it is not known of all elements what their styles are.
    var isExhausted: Bool { rules.isCut || stepsLeft <= 0 }

    /// Whether the text that follows was not seen, or may not have been.
    var hidesText: Bool { isWary && looks.hidesText }

    /// An element begins.
    mutating func enter(_ element: HTMLElement) -> Answer {
        if !rules.isEmpty {
            children[children.count - 1] += 1
            path.append(Selector.Step(element, isFirst: children.last == 1))
            children.append(0)
        }
        let found = rules.isEmpty ? SheetRules.Found() : rules.found(for: path, stepsLeft: &stepsLeft)
        guard stepsLeft > 0 else {
            // Nothing is kept of received mail of which too much is said.
            if isWary { looks.pass() }
            return Answer(style: element["style"], isHidden: isWary)
        }
        let own = own(element)
        let all = SheetDeclarations.once(
            found.certain.flatMap(\.body.usual) + own + found.certain.flatMap(\.body.important)
        ).filter { $0.contains { !$0.isWhitespace } }
        var answer = Answer(style: element["style"])
        if isWary {
            answer.isHidden = looks.enter(
                element, all, found.possible.map(\.body.hiding), stepsLeft: &stepsLeft)
        }
        guard !found.certain.isEmpty else { return answer }
        let style = all.joined(separator: ";")
        let added = max(0, style.utf8.count - (element["style"]?.utf8.count ?? 0))
        if added <= bytesLeft {
            bytesLeft -= added
            answer.style = style
        } else {
            bytesLeft = 0
        }
        return answer
    }

    /// As the page in which it is read has it.
    private func own(_ element: HTMLElement) -> [Substring] {
        guard let style = element["style"] else { return [] }
        var remote = RemoteContent(remoteURL: nil, isLoadable: { _ in true })
        let text = isWary ? StyleFilter.declarations(style, &remote) : style
        return StyleFilter.pieces(of: text, at: UInt8(ascii: ";"))
    }

    mutating func leave() {
        if isWary { looks.leave() }
        guard !rules.isEmpty else { return }
        path.removeLast()
        children.removeLast()
    }
}
