/// The declarations of a rule.
struct SheetDeclarations {
    private(set) var usual: [Substring] = []
    private(set) var important: [Substring] = []
    /// Those that may hide something.
    private(set) var hiding: [(name: String, value: String)] = []

    init(_ body: String) {
        let all = StyleFilter.pieces(of: body, at: UInt8(ascii: ";"))
            .filter {
                (!$0.hasPrefix("--") || $0 == StyleFilter.blockedImage) && $0.contains { !$0.isWhitespace }
            }
        let pieces = Self.once(all)
        for piece in pieces {
            if Self.isImportant(piece) { important.append(piece) } else { usual.append(piece) }
        }
        for piece in pieces {
            guard let (name, value) = Self.parts(piece), TextLook.properties.contains(name),
                TextLook.mayHide(name, value)
            else { continue }
            hiding.append((name, value))
        }
    }

    /// Steps: they cost more than comparisons, for all of them are written and read again.
    var cost: Int { 10 * (usual.count + important.count) }
    var hidingCost: Int { 1 + 5 * hiding.count }

    static func isImportant(_ piece: Substring) -> Bool { piece.lowercased().containsBytes(of: "important") }

    static func parts(_ piece: Substring) -> (name: String, value: String)? {
        guard let colon = piece.firstIndex(of: ":") else { return nil }
        let value = piece[piece.index(after: colon)...].prefix { $0 != "!" }
        return (piece[..<colon].lowercased().trimmingBlanks(), value.lowercased().trimmingBlanks())
    }

    /// Without declarations that a later one of the same name overrules.
    static func once(_ pieces: [Substring]) -> [Substring] {
        var seen: Set<String> = []
        return pieces.reversed().filter { piece in
            // What is important counts against later ones.
            let mark = isImportant(piece) ? "!" : ""
            return seen.insert(mark + piece.prefix { $0 != ":" }.lowercased().trimmingBlanks()).inserted
        }.reversed()
    }
}
