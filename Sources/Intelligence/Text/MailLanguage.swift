/// A language that replies can be given in.
enum MailLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case italian = "it"

    /// For an instruction to a model.
    var name: String {
        switch self {
        case .english: "English"
        case .german: "German"
        case .french: "French"
        case .spanish: "Spanish"
        case .italian: "Italian"
        }
    }

    /// The language of a text, by its most frequent small words; nil if it is too short to tell, or another.
    static func of(_ text: String) -> MailLanguage? {
        var counts = Self.allCases.map { _ in 0 }
        var total = 0
        for word in text.prefix(4000).lowercased().split(whereSeparator: { !$0.isLetter }) {
            total += 1
            for (index, language) in Self.allCases.enumerated() where words[language]?.contains(word) == true
            {
                counts[index] += 1
            }
        }
        guard let most = counts.max(), most >= 2, most * 8 >= total else { return nil }
        // Some words are of two languages; a draw says nothing.
        guard counts.filter({ $0 == most }).count == 1, let index = counts.firstIndex(of: most) else {
            return nil
        }
        return Self.allCases[index]
    }

    private static let words: [MailLanguage: Set<Substring>] = [
        .english: set(
            """
            the of and to is in you that it for was on are with as your be this have from or had by but what all
            were when we there can an which their if will about would could please thanks thank hello hi dear
            our do me my at not just any let know would has been
            """),
        .german: set(
            """
            der die das und ist nicht ich sie wir ihr es ein eine einen mit für auf dem den von zu im am bei wie
            haben hat sind wird werden kann können bitte danke hallo liebe lieber viele grüße auch noch nur oder
            aber wenn dass uns mir dir ihnen mich schon gerne bis morgen
            """),
        .french: set(
            """
            le les des et est pas je vous nous il elle une un du au aux pour dans sur avec que qui ce cette ces
            mais ou si bonjour merci bien très votre vos notre mon ma mes être avoir peut pouvez sont plus par
            cordialement salut demain tu te moi
            """),
        .spanish: set(
            """
            el los las y es no que de en un una por para con su sus se lo como más pero hola gracias saludos muy
            está están puedes puede podemos nos me te mi tu este esta hay si ya también cuando buenos días usted
            del al ser tiene favor mañana
            """),
        .italian: set(
            """
            il lo gli e è non che di in un una per con su si come più ma ciao grazie saluti molto sono sei siamo
            può puoi possiamo ci mi ti mio tuo questo questa della del nel alla anche quando buongiorno lei
            se hai ho abbiamo perché domani sarà
            """),
    ]

    private static func set(_ words: String) -> Set<Substring> {
        Set(words.split(whereSeparator: \.isWhitespace))
    }
}
