/// The rules of a page's style sheets, to be written into the elements that they are about: what quotes a page cannot
/// bring style sheets along, which would change the message around it, and which many programs remove.
struct SheetRules {
    struct Rule {
        /// Nil if it is not read exactly.
        fileprivate var selector: Selector?
        /// Whether it is about the window in which messages are usually read.
        fileprivate var isCertain: Bool
        fileprivate var order = 0
        let body: SheetDeclarations
    }

    /// What is said about an element.
    struct Found {
        /// The strongest last.
        var certain: [Rule] = []
        /// Rules that may be about it, and may hide it.
        var possible: [Rule] = []
    }

    /// By what an element must have: see `Selector.key`.
    private var rules: [String: [Rule]] = [:]
    /// Those that are not surely about the elements that they seem to be about.
    private var doubtful: [String: [Rule]] = [:]
    private var names: Set<String> = []
    private var count = 0
    /// Whether rules are missing.
    private(set) var isCut = false

    /// The rules of longer style sheets are left out from there on.
    private static let mostRules = 5000

    static let none = SheetRules()

    private init() {}

    init(of page: borrowing HTMLTree) {
        var text = SheetText()
        page.walk(&text)
        names = text.names
        read(text.text[...], isCertain: true)
    }

    var isEmpty: Bool { rules.isEmpty && doubtful.isEmpty && !isCut }

    /// What is said about the last of these elements. It is not complete when no steps are left.
    func found(for path: [Selector.Step], stepsLeft: inout Int) -> Found {
        var found = Found()
        guard let step = path.last else { return found }
        let isBody = step.element.name == "body"
        let keys = Self.keys(of: step)
        for key in keys {
            for rule in rules[key] ?? [] {
                guard stepsLeft > 0 else { return found }
                guard rule.selector?.matches(path, stepsLeft: &stepsLeft) == true else { continue }
                stepsLeft -= rule.body.cost
                found.certain.append(rule)
            }
        }
        let attributes = step.element.attributes.map { "[\($0.name)]" }
        for key in Set(keys.map { $0.lowercased() } + attributes + (isBody ? ["div"] : [])) {
            for rule in doubtful[key] ?? [] {
                guard stepsLeft > 0 else { return found }
                stepsLeft -= rule.body.hidingCost
                if let selector = rule.selector, selector.isSure,
                    !selector.matches(path, stepsLeft: &stepsLeft)
                {
                    continue
                }
                found.possible.append(rule)
            }
        }
        found.certain.sort {
            ($0.selector?.specificity ?? 0, $0.order) < ($1.selector?.specificity ?? 0, $1.order)
        }
        return found
    }

    private static func keys(of step: Selector.Step) -> [String] {
        ["*", step.element.name] + step.classes.map { ".\($0)" } + (step.id.map { ["#\($0)"] } ?? [])
    }

    // MARK: Reading

    /// - Parameter sheet: as `StyleFilter` writes one, in which braces are nothing but the ends of rules.
    private mutating func read(_ sheet: Substring, isCertain: Bool) {
        var rest = sheet
        while !isCut, let open = rest.firstIndex(of: "{") {
            let prelude = rest[..<open]
            let body = rest[rest.index(after: open)...]
            let isMedia = prelude.hasPrefix("@")
            guard let close = isMedia ? Self.endOfMedia(body) : body.firstIndex(of: "}") else { return }
            if !isMedia {
                add(prelude, SheetDeclarations(String(body[..<close])), isCertain)
            } else {
                let answer = MediaQuery.answer(prelude)
                if answer != .doesNot { read(body[..<close], isCertain: answer == .applies) }
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

    private mutating func add(_ prelude: Substring, _ body: SheetDeclarations, _ isCertain: Bool) {
        for one in StyleFilter.pieces(of: String(prelude), at: UInt8(ascii: ",")) {
            guard count < Self.mostRules else {
                isCut = true
                return
            }
            count += 1
            let selector = Selector(one)
            let rule = Rule(selector: selector, isCertain: isCertain, order: count, body: body)
            if isCertain, let selector { rules[selector.key ?? "*", default: []].append(rule) }
            guard !body.hiding.isEmpty, !isCertain || selector?.isSure != true else { continue }
            let outline = SelectorOutline(one)
            if outline.mayMatch(names) { doubtful[outline.key, default: []].append(rule) }
        }
    }
}
