import MailKernelAPI
import StoreRules

/// The words of an email for the full-text index, as PostgreSQL reads a `tsvector`.
///
/// The words are our own, with their places: PostgreSQL's parser would divide addresses and paths differently. It has four
/// kinds of weight for our six fields, so words of To, Cc and Bcc are there twice: as words of all three, and each with a
/// mark before it that no word begins with.
struct WordVector {
    /// PostgreSQL refuses a word of 2,047 bytes.
    private static let longestWord = 255
    /// Places beyond this one are not told apart.
    private static let lastPlace = 16_383
    private static let placesOfWord = 255
    /// PostgreSQL refuses a vector of 1,048,575 bytes.
    private static let mostBytes = 900_000

    /// Such as `'anna':1B 'example':2B`.
    private(set) var text = ""
    /// About as many bytes as the vector takes.
    private(set) var bytes = 0

    init(_ searchable: SearchableText) {
        var places: [String: [String]] = [:]
        var place = 0
        for (field, words) in zip(SearchableText.Field.allCases, searchable.fields) {
            for word in words.split(separator: " ") {
                place = min(place + 1, Self.lastPlace)
                let word = Self.cut(word)
                note(word, "\(place)\(Self.weight(of: field))", &places)
                if let mark = Self.mark(of: field) { note(mark + word, "\(place)", &places) }
            }
            // Phrases do not go from one field to the next.
            place = min(place + 1, Self.lastPlace)
        }
        text = places.map { Self.quoted($0.key) + ":" + $0.value.joined(separator: ",") }.joined(
            separator: " ")
    }

    private mutating func note(_ word: String, _ place: String, _ places: inout [String: [String]]) {
        let known = places[word]?.count ?? 0
        guard known < Self.placesOfWord else { return }
        let more = known == 0 ? word.utf8.count + 8 : 2
        guard bytes + more <= Self.mostBytes else { return }
        bytes += more
        places[word, default: []].append(place)
    }

    /// What the vector and its words in the index take, as measured.
    var indexBytes: Int { 100 + bytes * 5 / 4 }

    static func weight(of field: SearchableText.Field) -> String {
        switch field {
        case .subject: "A"
        case .from: "B"
        case .to, .cc, .bcc: "C"
        case .body: "D"
        }
    }

    /// What is before a word of a field that shares its weight with others.
    static func mark(of field: SearchableText.Field) -> String? {
        switch field {
        case .to: "#t"
        case .cc: "#c"
        case .bcc: "#b"
        case .from, .subject, .body: nil
        }
    }

    /// A word as the index has it: the beginning, if it is very long.
    static func cut(_ word: some StringProtocol) -> String {
        guard word.utf8.count > longestWord else { return String(word) }
        var cut = String.UnicodeScalarView()
        var count = 0
        for scalar in word.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= longestWord else { break }
            cut.append(scalar)
        }
        return String(cut)
    }

    static func quoted(_ word: String) -> String {
        "'" + word.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }
}
