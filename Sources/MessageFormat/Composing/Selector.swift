/// A selector of a style sheet that a message can depend on: elements, classes, ids, attributes, ancestors and links.
/// Others, such as those about neighbors and the pointer, are not read: see `SelectorOutline`.
struct Selector {
    /// What is asked of one element.
    private struct Compound {
        var name: String?
        var id: String?
        var classes: [Substring] = []
        var attributes: [(name: String, value: Substring?)] = []
        var isFirst = false
        var isLink = false
        /// Whether it is about the parent, and not about any ancestor.
        var isChild = false
    }

    /// An open element, as selectors see it.
    struct Step {
        let element: HTMLElement
        let classes: Set<Substring>
        let id: String?
        let isFirst: Bool

        init(_ element: HTMLElement, isFirst: Bool) {
            self.element = element
            self.isFirst = isFirst
            classes = Set((element["class"] ?? "").split { $0.isASCII && $0.isWhitespace })
            id = element["id"]
        }
    }

    /// From the element itself outwards.
    private var compounds: [Compound]
    let specificity: Int
    /// Whether it means the same where the page is read, which has other elements around it and fewer attributes.
    let isSure: Bool

    private static let mostCompounds = 8

    init?(_ text: Substring) {
        guard let compounds = Self.compounds(in: text), (1...Self.mostCompounds).contains(compounds.count)
        else { return nil }
        self.compounds = compounds.reversed()
        isSure = compounds.allSatisfy { one in
            !one.isChild && !one.isFirst && one.attributes.isEmpty
                && !["html", "body", "div"].contains(one.name)
        }
        specificity = compounds.reduce(0) { sum, one in
            let classes =
                one.classes.count + one.attributes.count + (one.isFirst ? 1 : 0) + (one.isLink ? 1 : 0)
            return sum + (one.id == nil ? 0 : 10_000) + classes * 100 + (one.name == nil ? 0 : 1)
        }
    }

    /// The class, the id or the name without which nothing matches; nil if any element may.
    var key: String? {
        compounds[0].classes.first.map { ".\($0)" } ?? compounds[0].id.map { "#\($0)" } ?? compounds[0].name
    }

    /// - Parameter stepsLeft: so many comparisons are made at most.
    func matches(_ path: [Step], stepsLeft: inout Int) -> Bool {
        guard let last = path.last, holds(compounds[0], last, &stepsLeft) else { return false }
        return matches(1, path.dropLast(), &stepsLeft)
    }

    private func matches(_ index: Int, _ path: ArraySlice<Step>, _ stepsLeft: inout Int) -> Bool {
        guard index < compounds.count else { return true }
        var outer = path
        while let step = outer.popLast(), stepsLeft > 0 {
            if holds(compounds[index], step, &stepsLeft), matches(index + 1, outer, &stepsLeft) {
                return true
            }
            if compounds[index].isChild { return false }
        }
        return false
    }

    private func holds(_ wanted: Compound, _ step: Step, _ stepsLeft: inout Int) -> Bool {
        stepsLeft -= 1
        let element = step.element
        if let name = wanted.name, name != element.name { return false }
        if let id = wanted.id, step.id != id { return false }
        if wanted.isFirst, !step.isFirst { return false }
        if wanted.isLink, !element.isLink || element["href"] == nil { return false }
        return wanted.classes.allSatisfy { name in
            stepsLeft -= 1
            return step.classes.contains(name)
        }
            && wanted.attributes.allSatisfy { name, value in
                stepsLeft -= 1 + element.attributes.count
                return element[name].map { value == nil || $0 == value.map(String.init) } ?? false
            }
    }
}

// MARK: Reading

extension Selector {
    /// From the outermost to the element itself.
    private static func compounds(in text: Substring) -> [Compound]? {
        var rest = text
        var found: [Compound] = []
        var isChild = false
        while true {
            rest = rest.drop { $0.isWhitespace }
            guard let first = rest.first else { return isChild ? nil : found }
            if first == ">" {
                guard !found.isEmpty, !isChild else { return nil }
                isChild = true
                rest.removeFirst()
                continue
            }
            guard let compound = Self.compound(&rest) else { return nil }
            if isChild { found[found.count - 1].isChild = true }
            isChild = false
            found.append(compound)
        }
    }

    private static func compound(_ rest: inout Substring) -> Compound? {
        var compound = Compound()
        let start = rest.startIndex
        while let first = rest.first, !first.isWhitespace, first != ">" {
            switch first {
            case "*" where rest.startIndex == start: rest.removeFirst()
            case ".", "#", ":":
                rest.removeFirst()
                guard let word = Self.word(&rest), add(word, as: first, to: &compound) else { return nil }
            case "[": guard addAttribute(&rest, to: &compound) else { return nil }
            default:
                guard rest.startIndex == start, let name = Self.word(&rest) else { return nil }
                compound.name = name.lowercased()
            }
        }
        return compound
    }

    private static func add(_ word: Substring, as kind: Character, to compound: inout Compound) -> Bool {
        switch (kind, word.lowercased()) {
        case (".", _): compound.classes.append(word)
        case ("#", _):
            guard compound.id == nil else { return false }
            compound.id = String(word)
        case (_, "link"), (_, "any-link"): compound.isLink = true
        case (_, "first-child"): compound.isFirst = true
        default: return false
        }
        return true
    }

    /// `[name]` or `[name=value]`.
    private static func addAttribute(_ rest: inout Substring, to compound: inout Compound) -> Bool {
        guard let end = rest.firstIndex(of: "]") else { return false }
        let parts = rest[rest.index(after: rest.startIndex)..<end].split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        rest = rest[rest.index(after: end)...]
        guard var name = parts.first, let word = Self.word(&name), name.isEmpty else { return false }
        let value = parts.dropFirst().first.map { part in
            let quotes: Set<Character> = ["\"", "'"]
            return part.count > 1 && part.first == part.last && part.first.map(quotes.contains) == true
                ? part.dropFirst().dropLast() : part
        }
        compound.attributes.append((word.lowercased(), value))
        return true
    }

    private static func word(_ rest: inout Substring) -> Substring? {
        let word = rest.prefix { character in
            character == "-" || character == "_" || !character.isASCII || character.isLetter
                || character.isNumber
        }
        rest = rest[word.endIndex...]
        return word.isEmpty ? nil : word
    }
}
