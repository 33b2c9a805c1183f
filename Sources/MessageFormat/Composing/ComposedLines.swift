/// Lines of plain text that are written block by block.
struct ComposedLines {
    private struct Line {
        var depth: Int
        var text: String
    }

    /// How deep in quotes the text is.
    private(set) var quotes = 0
    /// Above zero where white space stays as it is.
    var preformatted = 0
    /// A quote that begins now follows its introduction without a gap.
    var joinsQuote = false

    private var lines: [Line] = []
    private var current: [UInt8] = []
    private var hasCurrent = false
    private var wantsSpace = false
    /// Empty lines wanted before the next one: between blocks, and those that the user made.
    private var gap = 0
    private var empties = 0
    /// At the beginning of a quote or an item, where no gap is wanted.
    private var isAtStart = true
    /// What the next line begins with, and the lines after it.
    private var marks: [String] = []
    private var pendingMark: String?
    /// How much of the current line is its mark.
    private var markLength = 0

    private static let mostEmpties = 3
    private static let deepest = 20

    /// Where the text is; for `text(from:)`.
    var position: Int { lines.count << 32 | current.count }

    /// The text of the current line from there on.
    func text(from position: Int) -> String {
        let start = max(markLength, position >> 32 == lines.count ? position & 0xFFFF_FFFF : 0)
        return String(decoding: current.dropFirst(start), as: UTF8.self).trimmingBlanks()
    }

    /// Without empty lines at its end.
    var text: String {
        var whole = self
        whole.endLine()
        return whole.lines.map { line in
            let mark = String(repeating: ">", count: line.depth)
            return line.depth > 0 && !line.text.isEmpty ? "\(mark) \(line.text)" : mark + line.text
        }.joined(separator: "\n").replacing("\u{A0}", with: " ")
    }

    /// What follows begins a line, behind `gap` empty ones.
    mutating func block(gap: Int) {
        endLine()
        if !isAtStart { self.gap = max(self.gap, gap) }
    }

    mutating func breakLine() {
        if hasCurrent { endLine() } else { empties = min(empties + 1, Self.mostEmpties) }
    }

    mutating func space() { if hasCurrent { wantsSpace = true } }

    /// A line of its own.
    mutating func whole(_ text: String) {
        startLine()
        current += text.utf8
        endLine(isTrimmed: false)
    }

    mutating func startSignature() {
        block(gap: 1)
        whole("-- ")
        isAtStart = true
    }

    mutating func separator(_ text: String) {
        startLine()
        wantsSpace = false
        while current.last == 0x20 { current.removeLast() }
        current += text.utf8
    }

    mutating func add(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case 0x0A where preformatted > 0: breakLine()
            case 0x20 where preformatted > 0, 0x09 where preformatted > 0:
                startLine()
                current.append(byte)
            case 0x09, 0x0A, 0x0C, 0x0D, 0x20: space()
            default:
                startLine()
                if wantsSpace, current.last != 0x20 { current.append(0x20) }
                wantsSpace = false
                current.append(byte)
            }
        }
    }

    // MARK: Quotes and lists

    mutating func startQuote() {
        block(gap: joinsQuote ? 0 : 1)
        if joinsQuote { (gap, empties) = (0, 0) }
        quotes += 1
        isAtStart = true
    }

    mutating func endQuote() {
        endLine()
        quotes -= 1
        isAtStart = lines.isEmpty
        block(gap: 1)
    }

    mutating func startItem(_ mark: String) {
        block(gap: 0)
        pendingMark = marks.joined() + mark
        marks.append(String(repeating: " ", count: mark.utf8.count))
        isAtStart = true
    }

    mutating func endItem() {
        // An empty item keeps its mark.
        if pendingMark != nil { startLine() }
        endLine()
        _ = marks.popLast()
        isAtStart = false
        gap = 0
    }

    // MARK: Lines

    private mutating func startLine() {
        guard !hasCurrent else { return }
        let depth = min(quotes, Self.deepest)
        let between = min(lines.last?.depth ?? depth, depth)
        let count = lines.isEmpty ? empties : max(gap, empties)
        lines += Array(repeating: Line(depth: between, text: ""), count: count)
        (gap, empties) = (0, 0)
        current = Array((pendingMark ?? marks.joined()).utf8)
        markLength = current.count
        pendingMark = nil
        (hasCurrent, wantsSpace, isAtStart, joinsQuote) = (true, false, false, false)
    }

    private mutating func endLine(isTrimmed: Bool = true) {
        wantsSpace = false
        guard hasCurrent else { return }
        if isTrimmed { while current.last == 0x20 { current.removeLast() } }
        lines.append(Line(depth: min(quotes, Self.deepest), text: String(decoding: current, as: UTF8.self)))
        current = []
        hasCurrent = false
    }
}
