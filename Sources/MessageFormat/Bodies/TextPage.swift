/// Text that is written block by block, with white space as a page shows it.
struct TextPage {
    /// How deep in quotes the text is.
    var quotes = 0
    /// Above zero where white space stays as it is.
    var preformatted = 0

    private var bytes: [UInt8] = []
    private var lineIsEmpty = true
    private var wantsSpace = false
    /// Line ends to be written before the next word.
    private var pendingLines = 0

    var count: Int { bytes.count }

    func text(from start: Int) -> String {
        String(decoding: bytes[min(start, bytes.count)...], as: UTF8.self).trimmingBlanks()
    }

    /// Without white space at its ends.
    var result: String {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x0A { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// What follows begins a line, behind `gap` empty ones.
    mutating func startBlock(gap: Int) {
        wantsSpace = false
        guard !bytes.isEmpty else { return }
        pendingLines = max(pendingLines, lineIsEmpty ? (gap > 0 ? gap : 0) : 1 + gap)
    }

    mutating func breakLine() {
        wantsSpace = false
        guard !bytes.isEmpty else { return }
        pendingLines = min(pendingLines + 1, 2)
    }

    mutating func addSpace() {
        if !lineIsEmpty, pendingLines == 0 { wantsSpace = true }
    }

    /// The mark of a list's item; white space behind it stays.
    mutating func addMark(_ mark: String) {
        startLine()
        bytes += mark.utf8
        lineIsEmpty = true
    }

    mutating func add(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case 0x0A where preformatted > 0: pendingLines = min(pendingLines + 1, 3)
            case 0x20 where preformatted > 0:
                startLine()
                bytes.append(byte)
            case 0x09, 0x0A, 0x0C, 0x0D, 0x20: addSpace()
            default:
                startLine()
                if wantsSpace { bytes.append(0x20) }
                wantsSpace = false
                lineIsEmpty = false
                bytes.append(byte)
            }
        }
    }

    private mutating func startLine() {
        guard pendingLines > 0 || bytes.isEmpty else { return }
        let mark = [UInt8](repeating: UInt8(ascii: ">"), count: min(quotes, 20))
        for line in 0..<pendingLines {
            bytes.append(0x0A)
            if line < pendingLines - 1 { bytes += mark }
        }
        bytes += mark
        if !mark.isEmpty { bytes.append(0x20) }
        pendingLines = 0
        wantsSpace = false
        lineIsEmpty = true
    }
}
