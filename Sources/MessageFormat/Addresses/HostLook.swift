/// How a host is shown so that it cannot be taken for another one.
///
/// Names in the letters of one language are shown with them. Those that mix scripts, or look like a name in plain
/// letters, are shown as servers know them: `xn--80ak6aa92e.com`. All are in lower case, as in browsers.
public struct HostLook: Sendable, Hashable {
    public var shown: String
    /// A warning, as a sentence.
    public var warning: String?

    public init(_ host: String) {
        shown = host.lowercased()
        let isPlain = host.utf8.allSatisfy { $0 < 0x80 }
        guard !isPlain || host.hasPunycode else { return }
        let names = UnicodeNames.shared
        guard let readable = names.readable(host), let ascii = names.ascii(host) else {
            // No browser and no server would take it.
            if !isPlain { warning = "\(Self.visible(host)) is not a valid server name." }
            shown = Self.visible(host)
            return
        }
        guard let problem = Self.problem(of: readable, ascii: ascii) else {
            shown = readable
            return
        }
        shown = ascii
        warning = problem
    }

    private static func problem(of readable: String, ascii: String) -> String? {
        let names = UnicodeNames.shared
        let labels = readable.split(separator: ".").map(String.init)
        let top = labels.last ?? ""
        let foreign = labels.filter { !$0.utf8.allSatisfy { $0 < 0x80 } }
        let native = foreign.isEmpty ? [] : names.alphabet(ofCountry: top)
        // Words of other alphabets that look like Latin letters by chance have an ending in their own.
        let hasPlainTop = top.utf8.allSatisfy { $0 < 0x80 }
        for label in foreign {
            if hasFaintMarks(label) {
                return "\(ascii) has marks that are hard to see and may imitate another name."
            }
            let isMixed = names.mixesScripts(label)
            // Catalan's dot is no letter that could be another.
            let letters = label.unicodeScalars.filter { !$0.isASCII && $0 != "\u{B7}" }
            let looksPlain = !letters.isEmpty && letters.allSatisfy { plainLetters(for: $0, native) != nil }
            if looksPlain && (isMixed || hasPlainTop)
                || letters.contains(where: { isLatin($0) && plainLetters(for: $0, native) != nil })
            {
                return "\(ascii) imitates \(imitated(readable, native))."
            }
            let skeleton = names.skeleton(of: label) ?? ""
            if isMixed || skeleton.unicodeScalars.contains(where: { "/.:@?#& ".unicodeScalars.contains($0) })
            {
                return "\(ascii) mixes letters of different alphabets and may imitate another name."
            }
        }
        return nil
    }

    /// The plain letters that a reader may take one for; nil for a letter that readers tell apart.
    ///
    /// Latin letters are told apart if they are those of Western Europe, if the country whose ending the host has
    /// writes with them, or if their mark stands out above them. In other alphabets no mark does: the letter below
    /// it is what deceives.
    private static func plainLetters(for letter: Unicode.Scalar, _ native: Set<Unicode.Scalar>) -> String? {
        guard let look = PlainLook(letter) else { return nil }
        guard isLatin(letter) else { return look.text }
        if letter.value <= 0xFF || native.contains(letter) { return nil }
        let isClear = !look.marks.isEmpty && look.marks.allSatisfy(clearMarks.contains)
        return isClear ? nil : look.text
    }

    private static func isLatin(_ letter: Unicode.Scalar) -> Bool {
        letter.properties.name?.hasPrefix("LATIN ") ?? false
    }

    /// Grave, acute, circumflex, tilde, macron, breve, diaeresis, ring, double acute and caron.
    private static let clearMarks: Set<Unicode.Scalar> = [
        "\u{300}", "\u{301}", "\u{302}", "\u{303}", "\u{304}", "\u{306}", "\u{308}", "\u{30A}", "\u{30B}",
        "\u{30C}",
    ]

    /// A mark that makes no letter of its own with a plain one, such as a line below it, or a dot between letters
    /// other than two of `l`, where Catalan has one.
    private static func hasFaintMarks(_ label: String) -> Bool {
        let scalars = Array(label.unicodeScalars)
        return scalars.indices.dropFirst().contains { index in
            switch scalars[index].properties.generalCategory {
            case .nonspacingMark: scalars[index - 1].isASCII
            default:
                scalars[index] == "\u{B7}"
                    && !(scalars[index - 1] == "l" && index + 1 < scalars.count && scalars[index + 1] == "l")
            }
        }
    }

    /// The name with the plain letters that its letters are taken for.
    private static func imitated(_ readable: String, _ native: Set<Unicode.Scalar>) -> String {
        readable.unicodeScalars.map { letter in
            // ICU takes it for an i, and readers of Latin letters for an l.
            letter == "ӏ" ? "l" : plainLetters(for: letter, native) ?? String(letter)
        }.joined()
    }

    /// Without signs that cannot be seen or that turn the order round.
    private static func visible(_ host: String) -> String {
        ShownText.line(host)
    }
}

extension String {
    /// Whether part of it may be a host in its ASCII form.
    var hasPunycode: Bool { lowercased().containsBytes(of: "xn--") }
}
