/// An address that a reader sees in a name, however it is written there.
struct SeenAddress {
    var text: String
    /// There are blanks around its sign.
    var isSpaced = false

    /// Letter by letter, as Swift joins a sign with the marks behind it, and an `@` with one would be no `@`.
    static func all(in name: String) -> [SeenAddress] {
        let (words, joined) = self.words(of: plain(name))
        return words.indices.compactMap { index in
            let word = words[index]
            guard let at = word.lastIndex(of: "@") else { return nil }
            if at > 0, at + 1 < word.count {
                return address(word).map { SeenAddress(text: $0.text, isSpaced: joined.contains(index)) }
            }
            // `service ＠bank ． com`: the sign has no blank behind it.
            if at == 0, index > 0, joined.contains(index) {
                return address(words[index - 1] + word).map { SeenAddress(text: $0.text, isSpaced: true) }
            }
            // `service @ bank.com` and `service@ bank.com`. `Ana @ana.lima` is how other networks call people.
            guard at + 1 == word.count, index + 1 < words.count else { return nil }
            let before = at == 0 && index > 0 ? words[index - 1] : []
            let after = words[index + 1]
            return address(before + word + after).map { SeenAddress(text: $0.text, isSpaced: true) }
        }
    }

    /// The hosts of web addresses in a name: `www.bank.com`, `https://bank.com/`. A name that is only `Bank.com` is
    /// how many companies call themselves.
    static func hosts(in name: String) -> [String] {
        words(of: plain(name)).0.compactMap { word in
            let word = String(String.UnicodeScalarView(word)).lowercased()
            guard word.hasPrefix("www.") || word.hasPrefix("//") else { return nil }
            let host = word.drop { $0 == "/" }.prefix { !"/\\?#".contains($0) }
            let bare = host.hasPrefix("www.") ? host.dropFirst(4) : host
            return bare.contains(".") ? String(bare) : nil
        }
    }

    /// The words, and which of them were written with blanks around their dots: `bank . com`, `bank .com` and
    /// `bank. com`. A sentence goes on with a capital letter.
    private static func words(of letters: [Unicode.Scalar]) -> ([[Unicode.Scalar]], joined: Set<Int>) {
        var words: [[Unicode.Scalar]] = []
        var joined: Set<Int> = []
        for word in letters.split(whereSeparator: { $0 == " " || edges.contains($0) }) {
            let isContinued = words.last?.last == "." && word.first?.properties.isLowercase ?? false
            if !words.isEmpty, word.first == "." || isContinued {
                words[words.count - 1] += word
                joined.insert(words.count - 1)
            } else {
                words.append(Array(word))
            }
        }
        return (words, joined)
    }

    private static func address(_ letters: [Unicode.Scalar]) -> SeenAddress? {
        var letters = letters
        while let last = letters.last, last == "." { letters.removeLast() }
        guard let at = letters.lastIndex(of: "@"), at > 0, letters[at...].dropFirst(2).contains(".") else {
            return nil
        }
        return SeenAddress(text: String(String.UnicodeScalarView(letters)))
    }

    /// Without marks on plain letters, and with plain signs for those that look like them.
    private static func plain(_ name: String) -> [Unicode.Scalar] {
        var found: [Unicode.Scalar] = []
        for scalar in ShownText.line(name).unicodeScalars {
            if PlainLook.isAtSign(scalar) {
                found.append("@")
            } else if PlainLook.isDot(scalar) {
                found.append(".")
            } else if scalar.properties.isWhitespace {
                found.append(" ")
            } else if !(scalar.isMark || scalar.properties.isVariationSelector)
                || !(found.last?.isASCII ?? true)
            {
                found.append(scalar)
            }
        }
        return found
    }

    private static let edges = Set("<>()[]\"'“”‘’,;:".unicodeScalars)
}
