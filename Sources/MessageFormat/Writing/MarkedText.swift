/// The composer's text: plain, with `**bold**`, `*italic*` and `[text](url)`.
///
/// As plain text it is sent as typed. As HTML it consists of `<b>`, `<i>`, `<a>` and line breaks; everything
/// else is escaped text.
public enum MarkedText {
    /// A whole page. Marks that are not closed, or that lead nowhere safe, stay the characters that they are.
    public static func html(_ text: String) -> String {
        var page = "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"></head>\n<body dir=\"auto\">\n"
        page += fragment(text)
        return page + "\n</body>\n</html>\n"
    }

    /// The content of the page's body.
    public static func fragment(_ text: String) -> String {
        var output: [String] = []
        var paragraph: [Substring] = []
        func finish() {
            guard !paragraph.isEmpty else { return }
            let characters = Array(paragraph.joined(separator: "\n"))
            output.append(MarkedSpan(characters[...], allowsLinks: true).html)
            paragraph = []
        }
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            // Marks do not extend across empty lines, and quoted text is kept unchanged.
            if line.first == ">" || line.allSatisfy(\.isWhitespace) {
                finish()
                output.append(HTMLText.escaped(line))
            } else {
                paragraph.append(line)
            }
        }
        finish()
        return output.joined(separator: "<br>\n")
    }
}

/// A stretch of text in which marks can be closed that were opened in it.
private struct MarkedSpan {
    private let text: ArraySlice<Character>
    private let allowsLinks: Bool

    init(_ text: ArraySlice<Character>, allowsLinks: Bool) {
        self.text = text
        self.allowsLinks = allowsLinks
    }

    /// One or more asterisks, and what became of them.
    private struct Stars {
        var left: Int
        let canOpen: Bool
        let canClose: Bool
        let piece: Int
        var closing = ""
        var opening = ""

        var html: String { closing + String(repeating: "*", count: left) + opening }
    }

    var html: String {
        var pieces: [String] = []
        var runs: [Stars] = []
        let links = allowsLinks ? Links(text) : nil
        var start = text.startIndex
        var index = text.startIndex
        func finish() {
            guard start < index else { return }
            let before = start > text.startIndex ? text[start - 1] : "\n"
            pieces.append(HTMLText.escaped(text[start..<index], after: before))
        }
        while index < text.endIndex {
            if let link = links?.link(at: index) {
                finish()
                let label = MarkedSpan(text[link.label], allowsLinks: false).html
                pieces.append("<a href=\"\(HTMLText.attribute(link.url))\">\(label)</a>")
                index = link.end
                start = index
            } else if text[index] == "*" {
                let end = text[index...].firstIndex { $0 != "*" } ?? text.endIndex
                finish()
                if let run = stars(index..<end, piece: pieces.count) {
                    runs.append(run)
                    pieces.append("")
                } else {
                    pieces.append(String(text[index..<end]))
                }
                index = end
                start = index
            } else {
                index += 1
            }
        }
        finish()
        Self.pair(&runs)
        for run in runs { pieces[run.piece] = run.html }
        return pieces.joined()
    }

    /// Nil if these asterisks are no marks: too many, alone among blanks, or between two digits.
    private func stars(_ range: Range<Int>, piece: Int) -> Stars? {
        let before = range.lowerBound > text.startIndex ? text[range.lowerBound - 1] : " "
        let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
        guard range.count <= 3, !(before.isNumber && after.isNumber) else { return nil }
        let (canOpen, canClose) = (!after.isWhitespace, !before.isWhitespace)
        guard canOpen || canClose else { return nil }
        return Stars(left: range.count, canOpen: canOpen, canClose: canClose, piece: piece)
    }

    /// The number of open marks to search; deeper nesting does not occur.
    private static let depth = 16

    /// One asterisk goes with one, two with two; three are both.
    private static func fits(_ one: Stars, _ two: Stars) -> Bool {
        one.left == two.left || one.left == 3 || two.left == 3
    }

    /// Each closing mark is paired with the nearest open one before it; marks opened in between can no longer
    /// be closed, so elements never overlap.
    private static func pair(_ runs: inout [Stars]) {
        var open: [Int] = []
        for index in runs.indices {
            while runs[index].canClose, runs[index].left > 0,
                let place = open.suffix(depth).lastIndex(where: { Self.fits(runs[$0], runs[index]) })
            {
                let opener = open[place]
                let count = min(runs[opener].left, runs[index].left, 2)
                let name = count == 2 ? "b" : "i"
                runs[opener].left -= count
                runs[opener].opening = "<\(name)>" + runs[opener].opening
                runs[index].left -= count
                runs[index].closing += "</\(name)>"
                open.removeSubrange((place + (runs[opener].left == 0 ? 0 : 1))...)
            }
            if runs[index].canOpen, runs[index].left > 0 { open.append(index) }
        }
    }
}

/// The positions of `[text](url)` in a text. Brackets are paired in a single pass.
private struct Links {
    private let text: ArraySlice<Character>
    private var ends: [Int: Int] = [:]

    init(_ text: ArraySlice<Character>) {
        self.text = text
        var (square, round): ([Int], [Int]) = ([], [])
        for index in text.indices {
            switch text[index] {
            case "[": square.append(index)
            case "]": if let start = square.popLast() { ends[start] = index }
            case "(": round.append(index)
            case ")": if let start = round.popLast() { ends[start] = index }
            default: break
            }
        }
    }

    func link(at index: Int) -> (label: Range<Int>, url: String, end: Int)? {
        guard text[index] == "[", let close = ends[index], close > index + 1,
            close + 1 < text.endIndex, text[close + 1] == "(", let end = ends[close + 1]
        else { return nil }
        guard let url = HTMLText.safeURL(text[(close + 2)..<end]) else { return nil }
        return (index + 1..<close, url, end + 1)
    }
}

/// Text in HTML.
enum HTMLText {
    /// Blanks in a row, and those that begin a line, stay as wide as they are.
    static func escaped(_ text: some Sequence<Character>, after first: Character = "\n") -> String {
        var output = ""
        var previous = first
        let characters = Array(text)
        for (index, character) in characters.enumerated() {
            switch character {
            case "\n", "\r\n", "\r": output += "<br>\n"
            case "\t": output += "&nbsp;&nbsp;&nbsp; "
            case " ":
                let next = index + 1 < characters.count ? characters[index + 1] : "x"
                output += previous.isNewline || next == " " ? "&nbsp;" : " "
            default: if !isControl(character) { output += attribute(String(character)) }
            }
            previous = character
        }
        return output
    }

    /// By scalar: a sign with a combining mark is another character, and to a browser still that sign.
    static func attribute(_ text: String) -> String {
        text.unicodeScalars.map { entities[$0] ?? String($0) }.joined()
    }

    private static let entities: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]

    /// The address of a link that leads to a page or begins a mail; nil for every other.
    static func safeURL(_ text: ArraySlice<Character>) -> String? {
        let url = String(text)
        guard url.utf8.count <= 8000,
            !url.unicodeScalars.contains(where: {
                $0.value <= 0x20 || $0.value == 0x7F || $0 == "\\" || $0.properties.isWhitespace
                    || $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
            })
        else { return nil }
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = url[colon...].dropFirst()
        switch url[..<colon].lowercased() {
        case "http", "https":
            let host = rest.dropFirst(2).prefix { !"/?#".contains($0) }
            return rest.hasPrefix("//") && !host.isEmpty ? url : nil
        case "mailto": return rest.isEmpty ? nil : url
        default: return nil
        }
    }

    private static func isControl(_ character: Character) -> Bool {
        guard let value = character.unicodeScalars.first?.value else { return false }
        return value < 0x20 || (0x7F...0x9F).contains(value)
    }
}
