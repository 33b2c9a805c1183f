import MailKernelAPI
import StoreRules

/// The words of an email for the full-text index, as PostgreSQL reads a `tsvector`.
///
/// The words are our own, with their places: PostgreSQL's parser would divide addresses and paths differently. It has four
/// kinds of weight for our six fields, so words of To, Cc and Bcc are there twice: as words of all three, and each with a
/// mark before it that no word begins with.
struct WordVector {
    private struct Places {
        /// With the weight in the two highest bits, each once, in their order.
        var encoded: [UInt16] = []
        var count = 0

        mutating func append(_ place: UInt16) {
            count += 1
            guard let last = encoded.last, last & WordVector.lastPlace == place & WordVector.lastPlace else {
                return encoded.append(place)
            }
            encoded[encoded.count - 1] = max(last, place)
        }
    }

    /// PostgreSQL refuses a word of 2,047 bytes.
    private static let longestWord = 255
    /// Places beyond this one are not told apart.
    private static let lastPlace: UInt16 = 16_383
    private static let placesOfWord = 255
    /// PostgreSQL refuses a vector of 1,048,575 bytes.
    private static let mostBytes = 900_000

    /// In PostgreSQL's binary form, which it need not parse.
    private(set) var encoded: [UInt8] = []
    /// About as many bytes as the vector takes.
    private(set) var bytes = 0

    init(_ searchable: SearchableText) {
        var words: [[UInt8]: Places] = [:]
        var place: UInt16 = 0
        for (field, text) in zip(SearchableText.Field.allCases, searchable.fields) {
            let weight = Self.weightNumber(of: field) << 14
            let mark = Self.mark(of: field).map { Array($0.utf8) }
            for word in text.utf8.split(separator: UInt8(ascii: " ")) {
                place = min(place + 1, Self.lastPlace)
                let word =
                    word.count > Self.longestWord
                    ? Array(Self.cut(String(Substring(word))).utf8) : Array(word)
                note(word, place | weight, &words)
                if let mark { note(mark + word, place, &words) }
            }
            // Phrases do not go from one field to the next.
            place = min(place + 1, Self.lastPlace)
        }
        encoded = Self.encode(words)
    }

    private mutating func note(_ word: [UInt8], _ place: UInt16, _ words: inout [[UInt8]: Places]) {
        let known = words[word]?.count ?? 0
        // A word ends with a zero byte.
        guard known < Self.placesOfWord, !word.contains(0) else { return }
        let more = known == 0 ? word.count + 8 : 2
        guard bytes + more <= Self.mostBytes else { return }
        bytes += more
        words[word, default: Places()].append(place)
    }

    private static func encode(_ words: [[UInt8]: Places]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        append(UInt32(words.count))
        for (word, places) in words {
            bytes += word
            bytes.append(0)
            append(UInt16(places.encoded.count))
            for place in places.encoded { append(place) }
        }
        return bytes
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

    /// The same, as PostgreSQL keeps it.
    private static func weightNumber(of field: SearchableText.Field) -> UInt16 {
        switch field {
        case .subject: 3
        case .from: 2
        case .to, .cc, .bcc: 1
        case .body: 0
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

    /// A word of a search.
    static func quoted(_ word: String) -> String {
        "'" + word.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }
}
