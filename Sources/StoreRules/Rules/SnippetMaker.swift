public import MailKernelAPI

/// Makes the texts that a search shows of its results, for `MailReader.snippets`.
public struct SnippetMaker: Sendable {
    /// RFC 8621, section 5: a preview is no longer than this.
    private static let maximumBytes = 255

    private let subjectTerms: [SearchTerms]
    private let bodyTerms: [SearchTerms]

    /// For results of this filter.
    public init(_ filter: EmailFilter) {
        let wanted = filter.wantedTexts
        subjectTerms = wanted.filter { $0.fields.contains(.subject) }.map { SearchTerms($0.text) }
        bodyTerms = wanted.filter { $0.fields.contains(.body) }.map { SearchTerms($0.text) }
    }

    /// The subject and a piece of the body with marks.
    public func snippet(of email: Email, _ body: EmailBody) -> SearchSnippet {
        SearchSnippet(
            emailID: email.id,
            subject: email.header.subject.flatMap { Self.marked($0, subjectTerms) },
            preview: preview(of: body))
    }

    private static func marked(_ text: String, _ terms: [SearchTerms]) -> String? {
        let matches = matches(of: terms, in: text, TextFolding.words(of: text))
        return matches.isEmpty ? nil : pieces(text[...], matches).map(\.escaped).joined()
    }

    private func preview(of body: EmailBody) -> String? {
        let text = SearchableText.bodyText(body).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let words = TextFolding.words(of: text)
        let matches = Self.matches(of: bodyTerms, in: text, words)
        guard let first = matches.first else { return nil }
        // A few words before the match, then as much as fits.
        let before = words.prefix { $0.range.lowerBound < first.lowerBound }.suffix(4)
        let start = before.first?.range.lowerBound ?? first.lowerBound
        return Self.beginning(of: Self.pieces(text[start...], matches))
    }

    private static func beginning(of pieces: [Piece]) -> String {
        var preview = ""
        for piece in pieces {
            guard preview.utf8.count + piece.escaped.utf8.count > maximumBytes else {
                preview += piece.escaped
                continue
            }
            guard !piece.isMarked else { break }
            for character in piece.text {
                let escaped = escape(String(character))
                guard preview.utf8.count + escaped.utf8.count <= maximumBytes else { return preview }
                preview += escaped
            }
        }
        return preview
    }

    private struct Piece {
        var text: Substring
        var isMarked: Bool

        var escaped: String {
            let escaped = SnippetMaker.escape(String(text))
            return isMarked ? "<mark>\(escaped)</mark>" : escaped
        }
    }

    private static func pieces(_ text: Substring, _ matches: [Range<String.Index>]) -> [Piece] {
        var pieces: [Piece] = []
        var end = text.startIndex
        for match in matches {
            pieces.append(Piece(text: text[end..<match.lowerBound], isMarked: false))
            pieces.append(Piece(text: text[match], isMarked: true))
            end = match.upperBound
        }
        return pieces + [Piece(text: text[end...], isMarked: false)]
    }

    /// The matches in a text in order: words, and symbols.
    private static func matches(
        of searches: [SearchTerms], in text: String, _ words: [TextFolding.Word]
    ) -> [Range<String.Index>] {
        let signs = searches.flatMap(\.signs).flatMap { SignText.ranges(of: $0, in: text) }
        let hits = matches(of: searches.flatMap(\.terms), in: words).map { words[$0].range } + signs
        var matches: [Range<String.Index>] = []
        for hit in hits.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Symbols can overlap: `-` and `--`.
            if let last = matches.last, hit.lowerBound < last.upperBound {
                matches[matches.count - 1] = last.lowerBound..<max(last.upperBound, hit.upperBound)
            } else {
                matches.append(hit)
            }
        }
        return matches
    }

    /// The indices of matching words in order.
    private static func matches(of terms: [SearchTerms.Term], in words: [TextFolding.Word]) -> [Int] {
        let folded = words.map(\.folded)
        var hits: Set<Int> = []
        for term in terms {
            var next = 0
            while let found = term.occurrence(in: folded, from: next) {
                hits.formUnion(found..<(found + term.words.count))
                next = found + 1
            }
        }
        return hits.sorted()
    }

    private static let entities: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]

    private static func escape(_ text: String) -> String {
        text.unicodeScalars.map { entities[$0] ?? String($0) }.joined()
    }
}
