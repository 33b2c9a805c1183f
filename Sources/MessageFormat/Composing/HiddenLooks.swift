/// Follows how the text of a page looks where it may be hidden, for each way in which its doubtful rules may be meant.
struct HiddenLooks {
    /// For each open element.
    private var open: [Set<TextLook>] = [[TextLook()]]

    /// Of an element with more, nothing is told.
    private static let mostWays = 64

    /// Whether any text of the innermost element may be hidden.
    var hidesText: Bool { open.last?.contains(where: \.isHidden) ?? false }

    /// - Parameters:
    ///   - styles: what is surely said about it, the strongest last.
    ///   - possible: what may be said about it, too.
    /// - Returns: whether the whole element may be hidden.
    mutating func enter(
        _ element: HTMLElement, _ styles: [Substring], _ possible: [[(name: String, value: String)]],
        stepsLeft: inout Int
    ) -> Bool {
        let outer = open.last ?? []
        let values = Self.values(of: element, styles)
        guard let ways = Self.ways(values, possible, &stepsLeft) else {
            open.append(outer)
            return true
        }
        var inner: Set<TextLook> = []
        var hidesBox = false
        stepsLeft -= 5 * (outer.count * ways.count - 1)
        for look in outer {
            for way in ways {
                let next = look.within(way)
                inner.insert(next)
                hidesBox = hidesBox || next.hidesBox(way)
            }
        }
        open.append(inner)
        return hidesBox || inner.count > Self.mostWays
    }

    /// An element of which nothing is known.
    mutating func pass() { open.append(open.last ?? []) }

    mutating func leave() { open.removeLast() }

    /// Each rule may be meant or not, and be weaker or stronger than another.
    private static func ways(
        _ values: LookValues, _ possible: [[(name: String, value: String)]], _ stepsLeft: inout Int
    ) -> Set<LookValues>? {
        var ways: Set<LookValues> = [values]
        var seen: Set<[String]> = []
        let possible = possible.filter { seen.insert($0.flatMap { [$0.name, $0.value] }).inserted }
        guard possible.count <= mostWays else { return nil }
        for hiding in possible + possible {
            stepsLeft -= 5 * ways.count
            for way in ways {
                var other = way
                for (name, value) in hiding { set(name, value, in: &other) }
                ways.insert(other)
            }
            if ways.count > mostWays { return nil }
        }
        return ways
    }

    private static func values(of element: HTMLElement, _ styles: [Substring]) -> LookValues {
        var values: LookValues = [:]
        if element.name == "a", element["href"] != nil { values["color"] = "#00e" }
        if let color = element["bgcolor"] { values["background-color"] = old(color) }
        if let color = element[element.name == "body" ? "text" : "color"] { values["color"] = old(color) }
        if element["background"] != nil { values["background-image"] = "url()" }
        for piece in styles where !SheetDeclarations.isImportant(piece) { read(piece, &values) }
        for piece in styles where SheetDeclarations.isImportant(piece) { read(piece, &values) }
        return values
    }

    private static func read(_ piece: Substring, _ values: inout LookValues) {
        // As `StyleFilter` marks an image that is left out.
        if piece.hasPrefix("--") { return set("background-image", "url()", in: &values) }
        guard let (name, value) = SheetDeclarations.parts(piece), TextLook.properties.contains(name) else {
            return
        }
        set(name, value, in: &values)
    }

    /// A short form says what its long forms do.
    private static func set(_ name: String, _ value: String, in values: inout LookValues) {
        switch name {
        case "font": values["font-size"] = nil
        case "font-size": values["font"] = nil
        case "background":
            values["background-color"] = nil
            values["background-image"] = nil
        default: break
        }
        values[name] = value
    }

    /// Attributes of old name colors without `#`, too.
    private static func old(_ color: String) -> String {
        StyleColor(color) == nil ? "#\(color)" : color
    }
}
