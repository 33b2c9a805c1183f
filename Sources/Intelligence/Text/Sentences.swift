/// Text in sentences.
enum Sentences {
    private static let abbreviations: Set<Substring> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "etc", "e.g", "i.e", "approx", "z.b", "d.h",
        "ca", "bzw", "usw", "str", "hr", "fr", "inkl", "p.ex", "m", "mme", "mlle", "av", "sr", "sra", "srta",
        "ud", "uds", "pág", "sig", "dott", "ing", "pag", "art",
    ]

    static func of(_ text: String) -> [String] {
        var sentences: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            var words: [Substring] = []
            for word in line.split(whereSeparator: \.isWhitespace) {
                words.append(word)
                if isEnd(word) {
                    sentences.append(words.joined(separator: " "))
                    words = []
                }
            }
            if !words.isEmpty { sentences.append(words.joined(separator: " ")) }
        }
        return sentences
    }

    private static func isEnd(_ word: Substring) -> Bool {
        var rest = word
        while let last = rest.last, "\"'”’»)".contains(last) { rest = rest.dropLast() }
        guard let last = rest.last, ".!?…。！？".contains(last) else { return false }
        guard last == "." else { return true }
        let stem = Substring(rest.dropLast().lowercased())
        // “3.” is a day in some languages, “A.” an initial.
        if stem.count <= 2, stem.allSatisfy(\.isNumber) || stem.count == 1 { return false }
        return !abbreviations.contains(stem)
    }
}
