/// Recognizes signatures in HTML, by the marks of the programs that wrote them.
enum SignatureMarks {
    /// The class of the signature in messages written here. Thunderbird has the same.
    static let own = "moz-signature"

    static func isOne(_ element: HTMLElement) -> Bool {
        if let id = element["id"], ids.contains(id.lowercased()) { return true }
        guard let names = element["class"] else { return false }
        return names.split(separator: " ").contains { classes.contains($0.lowercased()) }
    }

    private static let classes: Set<String> = [
        own, "gmail_signature", "gmail_signature_prefix", "protonmail_signature_block", "tutanota_signature",
        "zmail_signature", "apple-mail-signature",
    ]

    private static let ids: Set<String> = [
        "signature", "applemailsignature", "ms-outlook-mobile-signature", "protonmail_signature_block",
        "outlooksignature",
    ]
}

/// Finds a signature behind a line that is `-- `, in HTML: it ends where a quote begins.
struct SignatureDash {
    var isLookedFor: Bool
    /// The dashes, until it is known whether they are the whole line.
    private var pending: String?
    private var isAtLineStart = true
    private(set) var isDropping = false

    init(isLookedFor: Bool) {
        self.isLookedFor = isLookedFor
    }

    /// A quote begins.
    mutating func end() { isDropping = false }

    /// - Returns: held back text that is to be written first.
    mutating func enter(_ name: String) -> String? {
        guard isLookedFor else { return nil }
        if name == "br" || Self.breaks(name) { return breakLine() }
        return flush()
    }

    mutating func leave(_ name: String) -> String? {
        isLookedFor && Self.breaks(name) ? breakLine() : nil
    }

    /// - Returns: what is to be written.
    mutating func text(_ text: String, isQuoted: Bool) -> String? {
        guard isLookedFor, !isQuoted else { return text }
        if isDropping { return nil }
        let words = text.replacing("\u{A0}", with: " ").trimmingBlanks()
        if words.isEmpty {
            if let held = pending { pending = held + text }
            return pending == nil ? text : nil
        }
        if pending == nil, isAtLineStart, words == "--" {
            pending = text
            return nil
        }
        let held = flush() ?? ""
        isAtLineStart = false
        return held + text
    }

    private mutating func breakLine() -> String? {
        if pending != nil { isDropping = true }
        pending = nil
        isAtLineStart = true
        return nil
    }

    private mutating func flush() -> String? {
        guard let held = pending else { return nil }
        pending = nil
        isAtLineStart = false
        return held
    }

    private static func breaks(_ name: String) -> Bool { TextReader.changesLayout(name) }
}
