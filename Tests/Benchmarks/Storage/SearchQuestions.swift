import MailKernelAPI

/// What people look for: words of every frequency, beginnings of words, several words, people, subjects,
/// in several languages; each in the words of everybody who is asked.
struct SearchQuestion {
    var filter: EmailFilter
    /// For FTS5 as it is.
    var match: String
    /// For notmuch and mu, whose languages agree in this much.
    var words: String

    static let all: [SearchQuestion] = [
        text("the"), text("you"), text("budget"), text("invoice"), text("meeting"), text("me"), text("con"),
        text("terin"), text("lightward"), text("zzyzx"), text("budget review"), text("the meeting report"),
        text("danke"), text("größe"), text("équipe"), text("встреча"), text("спасибо"), text("اجتماع"),
        field(.from("anna"), "sender", "from", "anna"),
        field(.subject("budget"), "subject", "subject", "budget"),
    ]

    /// Each word as a word or as the beginning of one, which is what a search field means.
    private static func text(_ text: String) -> SearchQuestion {
        let words = text.split(separator: " ").map { "\($0)*" }
        return SearchQuestion(
            filter: .text(text), match: words.joined(separator: " AND "),
            words: words.joined(separator: " and "))
    }

    private static func field(
        _ filter: EmailFilter, _ column: String, _ prefix: String, _ word: String
    ) -> SearchQuestion {
        SearchQuestion(filter: filter, match: "\(column) : \(word)*", words: "\(prefix):\(word)*")
    }
}
