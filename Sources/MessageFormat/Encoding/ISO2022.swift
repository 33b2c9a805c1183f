/// Text in which escapes switch between tables (ISO 2022), as Japanese, Korean and Chinese programs write it, and
/// EUC-JP, which has the same tables. iconv's converters stop at characters that Windows added to JIS X 0208 (`㈱`,
/// `①`), and then read the rest one byte off. Here a pair that is not in its table is skipped as a pair.
struct ISO2022 {
    enum Language { case japanese, korean, chinese }

    private enum Table: Hashable {
        case ascii
        /// ASCII with a yen sign and an overline.
        case roman
        case katakana
        /// JIS X 0208 with the characters of Windows, by way of Shift_JIS.
        case jis
        /// Two bytes each, in a charset of iconv: with their high bits set, and bytes before them.
        case pairs(String, prefix: [UInt8] = [])
        /// One byte each, in the upper half of a charset of iconv.
        case upperHalf(String)

        var isWide: Bool {
            switch self {
            case .jis, .pairs: true
            case .ascii, .roman, .katakana, .upperHalf: false
            }
        }
    }

    private var tables: [Table]
    private var isShifted = false
    private var output: [UInt8] = []
    private var hasProblem = false
    /// Characters of one table that are not converted yet.
    private var waiting: [UInt8] = []
    private var waitingTable = Table.ascii
    /// Kept open: a text may switch between tables at every character.
    private var converters: [String: Opened] = [:]

    private final class Opened {
        let converter: Converter

        init?(_ name: String) {
            guard let converter = Converter(name) else { return nil }
            self.converter = converter
        }
    }

    private init(_ language: Language) {
        let shifted: Table =
            switch language {
            case .japanese: .katakana
            case .korean: .pairs("cp949")
            case .chinese: .pairs("gb18030")
            }
        tables = [.ascii, shifted, .upperHalf("iso-8859-1")]
    }

    static func utf8(_ bytes: Span<UInt8>, _ language: Language) -> (utf8: [UInt8], hasProblem: Bool) {
        var reader = ISO2022(language)
        reader.output.reserveCapacity(bytes.count * 2)
        var index = 0
        while index < bytes.count { reader.readOne(bytes, &index) }
        reader.flush()
        return (reader.output, reader.hasProblem)
    }

    static func utf8(fromEUCJP bytes: Span<UInt8>) -> (utf8: [UInt8], hasProblem: Bool) {
        var reader = ISO2022(.japanese)
        reader.output.reserveCapacity(bytes.count * 2)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case ..<0x80: reader.write(byte)
            case 0x8E: reader.take(.katakana, bytes, &index, mark: 0x80)
            case 0x8F: reader.take(.pairs("euc-jp", prefix: [0x8F]), bytes, &index, mark: 0x80)
            case 0xA1...0xFE:
                index -= 1
                reader.take(.jis, bytes, &index, mark: 0x80)
            default: reader.fail()
            }
        }
        reader.flush()
        return (reader.output, reader.hasProblem)
    }

    // MARK: Reading

    private mutating func readOne(_ bytes: Span<UInt8>, _ index: inout Int) {
        let byte = bytes[index]
        let table = tables[isShifted ? 1 : 0]
        switch byte {
        case 0x1B: readEscape(bytes, &index)
        case 0x0E, 0x0F:
            isShifted = byte == 0x0E
            index += 1
        case 0x21...0x7E where table != .ascii: take(table, bytes, &index)
        case ..<0x80:
            index += 1
            write(byte)
        default:
            index += 1
            fail()
        }
    }

    private mutating func readEscape(_ bytes: Span<UInt8>, _ index: inout Int) {
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "N") {
            index += 1
            return take(tables[2], bytes, &index)
        }
        var escape: [UInt8] = []
        for offset in 0..<3 where index + offset < bytes.count {
            escape.append(bytes[index + offset])
            guard let (place, table) = Self.escapes[escape] else { continue }
            tables[place] = table
            index += escape.count
            return
        }
        fail()
    }

    /// Which table an escape puts into which place: 0 is in use, 1 after a shift, 2 for a single character.
    private static let escapes: [[UInt8]: (place: Int, table: Table)] = {
        let written: [(String, Int, Table)] = [
            ("(B", 0, .ascii), ("(J", 0, .roman), ("(H", 0, .roman), ("(I", 0, .katakana),
            (")I", 1, .katakana),
            ("$@", 0, .jis), ("$B", 0, .jis), ("$(@", 0, .jis), ("$(B", 0, .jis),
            ("$(D", 0, .pairs("euc-jp", prefix: [0x8F])), ("$(O", 0, .pairs("euc-jisx0213")),
            ("$(Q", 0, .pairs("euc-jisx0213")), ("$(P", 0, .pairs("euc-jisx0213", prefix: [0x8F])),
            ("$A", 0, .pairs("gb18030")), ("$(A", 0, .pairs("gb18030")), ("$)A", 1, .pairs("gb18030")),
            ("$(C", 0, .pairs("cp949")), ("$)C", 1, .pairs("cp949")), ("$)G", 1, .pairs("euc-tw")),
            ("$*H", 2, .pairs("euc-tw", prefix: [0x8E, 0xA2])), (".A", 2, .upperHalf("iso-8859-1")),
            (".F", 2, .upperHalf("iso-8859-7")),
        ]
        return Dictionary(uniqueKeysWithValues: written.map { (Array($0.utf8), (place: $1, table: $2)) })
    }()

    /// The next character, which is of this table.
    ///
    /// - Parameter mark: the high bit that its bytes have.
    private mutating func take(
        _ table: Table, _ bytes: Span<UInt8>, _ index: inout Int, mark: UInt8 = 0
    ) {
        guard let first = Self.takeByte(bytes, &index, mark) else { return fail() }
        var second: UInt8 = 0
        if table.isWide {
            guard let next = Self.takeByte(bytes, &index, mark) else { return fail() }
            second = next
        }
        switch table {
        case .ascii: write(first)
        case .roman: write(roman: first)
        case .katakana where first < 0x60:
            write("\(UnicodeScalar(0xFF40 + UInt32(first)) ?? "\u{FFFD}")")
        case .katakana: fail()
        case .jis, .pairs, .upperHalf:
            if waitingTable != table { flush() }
            waitingTable = table
            wait(first, second)
        }
    }

    private static func takeByte(_ bytes: Span<UInt8>, _ index: inout Int, _ mark: UInt8) -> UInt8? {
        guard index < bytes.count, (0x21...0x7E).contains(bytes[index] ^ mark) else { return nil }
        defer { index += 1 }
        return bytes[index] ^ mark
    }

    /// Adds a character in the encoding that iconv reads.
    private mutating func wait(_ first: UInt8, _ second: UInt8) {
        switch waitingTable {
        case .jis:
            let (row, cell) = (first - 0x21, second - 0x21)
            waiting.append(row / 2 + (row < 62 ? 0x81 : 0xC1))
            waiting.append(row % 2 == 1 ? cell + 0x9F : cell + (cell < 63 ? 0x40 : 0x41))
        case .pairs(_, let prefix):
            waiting += prefix
            waiting.append(first | 0x80)
            waiting.append(second | 0x80)
        case .ascii, .roman, .katakana, .upperHalf: waiting.append(first | 0x80)
        }
    }

    // MARK: Writing

    private mutating func write(_ byte: UInt8) {
        flush()
        output.append(byte)
    }

    private mutating func write(roman byte: UInt8) {
        switch byte {
        case 0x5C: write("¥")
        case 0x7E: write("‾")
        default: write(byte)
        }
    }

    private mutating func write(_ text: String) {
        flush()
        output += text.utf8
    }

    private mutating func fail() {
        hasProblem = true
        write("\u{FFFD}")
    }

    private mutating func flush() {
        guard !waiting.isEmpty else { return }
        let characters = waiting
        waiting = []
        let (name, width) =
            switch waitingTable {
            case .pairs(let charset, let prefix): (charset, prefix.count + 2)
            case .upperHalf(let charset): (charset, 1)
            case .jis, .ascii, .roman, .katakana: ("cp932", 2)
            }
        guard let opened = opened(name) else { return fail() }
        let together = opened.converter.convert(characters.span)
        if !together.hasProblem {
            output += together.utf8
            return
        }
        for start in stride(from: 0, to: characters.count, by: width) {
            let alone = opened.converter.convert(characters.span.extracting(start..<(start + width)))
            if alone.hasProblem { fail() } else { output += alone.utf8 }
        }
    }

    private mutating func opened(_ name: String) -> Opened? {
        if let opened = converters[name] { return opened }
        let opened = Opened(name)
        converters[name] = opened
        return opened
    }
}
