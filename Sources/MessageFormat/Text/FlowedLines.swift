/// A line of text without its quote marks.
struct QuotedLine: Hashable {
    var depth: Int
    var text: Substring
}

/// Reads lines, and joins those that were broken for the way only (RFC 3676).
enum FlowedLines {
    enum Kind {
        case fixed
        case flowed(deletesSpace: Bool)

        init(contentType: String) {
            let words = contentType.lowercased().filter { !$0.isWhitespace && $0 != "\"" }
            self =
                words.containsBytes(of: "format=flowed")
                ? .flowed(deletesSpace: words.containsBytes(of: "delsp=yes")) : .fixed
        }
    }

    static func read(_ text: Substring, _ kind: Kind) -> [QuotedLine] {
        // By bytes: to Swift a CR and LF are one character.
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { bytes in
            let line = Substring(bytes)
            return self.line(line.last == "\r" ? line.dropLast() : line)
        }
        guard case .flowed(let deletesSpace) = kind else { return lines }
        var joined: [QuotedLine] = []
        /// What the last line is put together from.
        var pieces: [Substring] = []
        var isOpen = false
        for var line in lines {
            if line.text.first == " " { line.text = line.text.dropFirst() }
            let isSignature = line.text == "-- "
            let flows = line.text.last == " " && !isSignature
            if flows, deletesSpace { line.text = line.text.dropLast() }
            if isOpen, !isSignature, let last = joined.last, last.depth == line.depth {
                pieces.append(line.text)
            } else {
                join(&pieces, into: &joined)
                joined.append(line)
                pieces = [line.text]
            }
            isOpen = flows
        }
        join(&pieces, into: &joined)
        return joined
    }

    private static func join(_ pieces: inout [Substring], into lines: inout [QuotedLine]) {
        if pieces.count > 1 { lines[lines.count - 1].text = Substring(pieces.joined()) }
        pieces = []
    }

    private static func line(_ line: Substring) -> QuotedLine {
        var rest = line
        var depth = 0
        while depth < 20 {
            // `> > text` is quoted twice; the space before text that is not quoted further belongs to it.
            let inner = depth > 0 && rest.first == " " ? rest.dropFirst() : rest
            guard inner.first == ">" else { break }
            rest = inner.dropFirst()
            depth += 1
        }
        if depth > 0, rest.first == " " { rest = rest.dropFirst() }
        return QuotedLine(depth: depth, text: rest)
    }
}
