import MailKernelAPI

/// Filters that are written as a person would say them: “from ana”, “with attachments”, “last week”.
struct NaturalWords {
    /// The longest that is recognized: “in the last 30 days”.
    static let most = 6

    let operators: SearchOperators
    private var dates: DateWords { DateWords(calendar: operators.calendar) }

    /// What the words mean that these begin with, and how many they are; nil if they are only words.
    func meaning(_ typed: [String], phraseAfter: String?) -> (count: Int, SearchMeaning)? {
        let words = typed.map { $0.lowercased() }
        guard let first = words.first else { return nil }
        if let found = date(typed, words) { return found }
        switch first {
        case "from": return sender(typed, phraseAfter)
        case "with": return attachment(words)
        case "unread", "starred":
            return operators.meaning(of: .state, first, isPhrase: false).map { (1, $0) }
        case "larger", "bigger", "smaller": return size(words)
        default: return nil
        }
    }

    private func sender(_ typed: [String], _ phraseAfter: String?) -> (count: Int, SearchMeaning)? {
        if typed.count > 1 {
            guard !Self.articles.contains(typed[1].lowercased()) else { return nil }
            return operators.meaning(of: .from, typed[1], isPhrase: false).map { (2, $0) }
        }
        return phraseAfter.flatMap { operators.meaning(of: .from, $0, isPhrase: true) }.map { (2, $0) }
    }

    /// “from the bank” names no sender.
    private static let articles: Set<String> = ["the", "a", "an", "my", "our", "your", "this", "that"]

    private func attachment(_ words: [String]) -> (count: Int, SearchMeaning)? {
        let article = words.count > 1 && ["a", "an"].contains(words[1]) ? 2 : 1
        guard words.count > article, ["attachment", "attachments", "file", "files"].contains(words[article])
        else { return nil }
        return operators.meaning(of: .has, "attachment", isPhrase: false).map { (article + 1, $0) }
    }

    /// “larger than 5 MB”.
    private func size(_ words: [String]) -> (count: Int, SearchMeaning)? {
        guard words.count > 2, words[1] == "than" else { return nil }
        let name: SearchName = words[0] == "smaller" ? .smaller : .larger
        if words.count > 3, ["kb", "mb", "gb", "k", "m", "g"].contains(words[3]) {
            return operators.meaning(of: name, words[2] + words[3], isPhrase: false).map { (4, $0) }
        }
        return operators.meaning(of: name, words[2], isPhrase: false).map { (3, $0) }
    }

    // MARK: Dates

    /// Words that say that a date follows, the longest first.
    private static let leads: [(words: [String], name: SearchName)] = [
        (["from", "the"], .on), (["in", "the"], .on), (["from"], .on), (["in"], .on), (["on"], .on),
        (["since"], .after), (["after"], .after), (["before"], .before),
    ]

    private func date(_ typed: [String], _ words: [String]) -> (count: Int, SearchMeaning)? {
        for lead in Self.leads where words.starts(with: lead.words) {
            guard let (count, span) = dates.longest(Array(words.dropFirst(lead.words.count))),
                !isName(lead.words, words[lead.words.count], count)
            else { continue }
            return (lead.words.count + count, operators.date(lead.name, span))
        }
        guard let (count, span) = dates.longest(words), words[0] != "may" || count > 1 else { return nil }
        guard span.isAmbiguous else { return (count, operators.date(.on, span)) }
        // “march” and “2024” are in mail, too: a search that left it out would hide what is looked for.
        let text = typed.prefix(count).joined(separator: " ")
        let either: SearchCondition = .any([.plain(span.filter), .plain(.text(text))])
        return (count, SearchMeaning(condition: either, label: "From \(span.inSentence), or “\(text)”"))
    }

    /// “from april” and “from may” are people; “from april 2024” is a time.
    private func isName(_ lead: [String], _ word: String, _ count: Int) -> Bool {
        lead == ["from"] && count == 1 && word.allSatisfy(\.isLetter)
            && !["today", "yesterday"].contains(word)
    }
}
