import MailKernelAPI

/// One address of a header field while it is read: words, an address in angle brackets, a comment.
struct WrittenAddress {
    struct Word {
        /// As in the field, including quotes.
        var raw: [UInt8] = []
        /// Without quotes and backslashes.
        var text: [UInt8] = []
        /// There is an `@` outside of quotes.
        var isAddress = false
    }

    /// More of a name is not shown: a long one would push the address out of sight.
    private static let longestName = 200

    private(set) var words: [Word] = []
    private var isWordOpen = false
    /// What stands between angle brackets.
    var angle: [UInt8]?
    var comment: [UInt8]?

    var isEmpty: Bool { words.isEmpty && angle == nil && comment == nil }
    var hasAddress: Bool { angle != nil || words.contains(where: \.isAddress) }
    var endsWithAt: Bool { words.last?.raw.last == UInt8(ascii: "@") && isWordOpen }

    mutating func endWord() { isWordOpen = false }

    mutating func add(_ byte: UInt8) {
        openWord()
        words[words.count - 1].raw.append(byte)
        words[words.count - 1].text.append(byte)
        if byte == UInt8(ascii: "@") { words[words.count - 1].isAddress = true }
    }

    /// A quoted string, or bytes that mean nothing.
    mutating func add(raw: some Sequence<UInt8>, text: some Sequence<UInt8>) {
        openWord()
        words[words.count - 1].raw += raw
        words[words.count - 1].text += text
    }

    private mutating func openWord() {
        if !isWordOpen { words.append(Word()) }
        isWordOpen = true
    }

    /// The words of one that turned out to be the beginning of this one's name, as in `Last, First <…>`.
    mutating func prepend(_ other: WrittenAddress) {
        var before = other.words
        if !before.isEmpty { before[before.count - 1].text.append(UInt8(ascii: ",")) }
        words = before + words
        comment = comment ?? other.comment
    }

    // MARK: What was read

    /// The name of a group.
    var phrase: String { Self.name(words) ?? "" }

    var mailboxes: [EmailAddress] {
        let comment = comment.flatMap { Self.name($0) }
        if let angle {
            // An encoded word is no address, even where one should be: it is shown as a name.
            let isEncoded = EncodedWordReader.isJoined(angle)
            let email = isEncoded ? "" : Self.email(angle)
            let name = Self.name(isEncoded ? words + [Word(raw: angle, text: angle)] : words) ?? comment
            return email.isEmpty && name == nil ? [] : [EmailAddress(name: name, email: email)]
        }
        let words = joinedAtSigns()
        if words.contains(where: \.isAddress) { return Self.bare(words, comment: comment) }
        if let word = words.first, words.count == 1, !EncodedWordReader.isJoined(word.raw) {
            let isQuotedAddress = word.raw != word.text && word.text.contains(UInt8(ascii: "@"))
            let email = Self.email(isQuotedAddress ? word.text : word.raw)
            return email.isEmpty ? [] : [EmailAddress(name: comment, email: email)]
        }
        return (Self.name(words) ?? comment).map { [EmailAddress(name: $0, email: "")] } ?? []
    }

    /// Addresses without brackets: other words are the name of the next address, or of the last.
    private static func bare(_ words: [Word], comment: String?) -> [EmailAddress] {
        var found: [EmailAddress] = []
        var others: [Word] = []
        for word in words {
            guard word.isAddress else {
                others.append(word)
                continue
            }
            found.append(EmailAddress(name: name(others), email: email(word.raw)))
            others = []
        }
        if let last = found.indices.last, found[last].name == nil {
            found[last].name = name(others) ?? comment
        }
        return found
    }

    /// `ada @ example.org` is one word.
    private func joinedAtSigns() -> [Word] {
        var joined: [Word] = []
        for word in words {
            let at = UInt8(ascii: "@")
            if let last = joined.indices.last, word.raw.first == at || joined[last].raw.last == at {
                joined[last].raw += word.raw
                joined[last].text += word.text
                joined[last].isAddress = true
            } else {
                joined.append(word)
            }
        }
        return joined
    }

    private static func name(_ words: [Word]) -> String? {
        name(Array(words.map(\.text).joined(separator: [0x20])))
    }

    private static func name(_ text: [UInt8]) -> String? {
        // A name of megabytes is not decoded to be thrown away.
        let text = String(decoding: text.prefix(20_000), as: UTF8.self)
        return bounded(HeaderForm.clean(EncodedWordReader.decoded(text))).nonEmpty
    }

    private static func bounded(_ name: String) -> String {
        let scalars = name.unicodeScalars
        guard scalars.count > longestName else { return name }
        return String(String.UnicodeScalarView(scalars.prefix(longestName - 1))) + "…"
    }

    /// The whole text, even if it is invalid: the first half of an invalid address could pass for a valid
    /// one.
    private static func email(_ raw: [UInt8]) -> String {
        var text = HeaderForm.clean(String(decoding: raw, as: UTF8.self))
        // A route (RFC 5322, section 4.4) leads to the address behind its colon.
        if text.utf8.first == UInt8(ascii: "@"), let colon = text.lastIndex(of: ":") {
            text = String(text[text.index(after: colon)...])
        }
        if text.lowercased().hasPrefix("mailto:") { text = String(text.dropFirst(7)) }
        guard text.utf8.contains(0x20), !text.utf8.contains(UInt8(ascii: "\"")) else { return text }
        for mark in ["@", "."] {
            let pieces = text.split(separator: Character(mark), omittingEmptySubsequences: false)
            text = pieces.map { $0.trimmingBlanks() }.joined(separator: mark)
        }
        return text
    }
}
