import CGMime
import Glibc

/// A charset that text can be read from. Its names are those of the WHATWG's encoding standard where that
/// says that mail means a larger charset than it names (`iso-8859-1` is `windows-1252`).
struct Charset {
    enum Kind: Equatable {
        case utf8
        /// ASCII or nothing was declared: detect the charset.
        case guess
        case windows1252
        case utf7
        case hz
        /// A charset of `MacCharsets`.
        case mac(String)
        /// A name that iconv knows.
        case named(String)
        case unknown
    }

    var kind: Kind

    static let utf8 = Charset(kind: .utf8)
    static let windows1252 = Charset(kind: .windows1252)

    init(kind: Kind) {
        self.kind = kind
    }

    init(name: String?) {
        let name = (name ?? "").lowercased().trimmingBlanks(and: "\"'")
        self = Charset(exactName: name)
        guard kind == .unknown else { return }
        // `utf-8//IGNORE`, `iso_8859-15:1999`, `utf_8`: as programs write what they give to iconv, or to Python.
        let bare = String(name.prefix { $0 != "/" && $0 != ":" })
        self = Charset(exactName: bare)
        if kind == .unknown { self = Charset(exactName: bare.replacing("_", with: "-")) }
    }

    private init(exactName name: String) {
        switch name {
        case "", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "unknown", "default",
            "8bit", "7bit", "x-user-defined", "utf":
            kind = .guess
        case "utf-8", "utf8", "unicode-1-1-utf-8", "utf-8mb4", "utf8mb4":
            kind = .utf8
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "windows-1252", "cp1252",
            "cp-1252",
            "x-cp1252", "8859_1", "iso8859_1", "iso88591", "windows1252", "ansi":
            kind = .windows1252
        case "utf-7", "utf7", "unicode-1-1-utf-7", "unicode-2-0-utf-7", "x-unicode-2-0-utf-7":
            kind = .utf7
        case "hz-gb-2312", "hz-gb2312", "hz", "x-hz":
            kind = .hz
        case "x-mac-greek", "mac-greek", "macgreek", "x-mac-turkish", "mac-turkish", "macturkish":
            kind = .mac(name.hasPrefix("x-") ? String(name.dropFirst(2)) : name)
        default:
            kind = Self.systemName(of: name).map(Kind.named) ?? .unknown
        }
    }

    /// Header fields that are not UTF-8 are most likely written as the body is.
    init(forHeadersWithBody name: String?) {
        self.init(name: name)
        switch kind {
        case .named, .mac: break
        case .utf8, .utf7, .hz, .guess, .windows1252, .unknown: kind = .windows1252
        }
    }

    private static let larger = [
        "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "euc-cn": "gb18030",
        "mac-chinesesimp": "gb18030", "ks_c_5601-1987": "cp949", "ks_c_5601": "cp949", "euc-kr": "cp949",
        "ksc5601": "cp949", "ms949": "cp949", "mac-korean": "cp949", "shift_jis": "cp932",
        "shift-jis": "cp932", "sjis": "cp932", "windows-31j": "cp932", "ms_kanji": "cp932",
        "ms932": "cp932", "cswindows31j": "cp932", "ms-cp932": "cp932", "mac-japanese": "cp932",
        "big5": "big5-hkscs", "x-big5": "big5-hkscs", "mac-chinesetrad": "big5-hkscs",
        "iso-8859-9": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874", "iso-8859-8-i": "iso-8859-8",
        "iso-8859-8-e": "iso-8859-8", "iso-2022-jp": "iso-2022-jp-3", "mac-roman": "macintosh",
        "mac": "macintosh", "mac-ukrainian": "mac-cyrillic", "mac-ce": "mac-centraleurope",
        "mac-centraleurroman": "mac-centraleurope", "mac-icelandic": "mac-is",
        "macroman": "macintosh", "iso-8859-6-i": "iso-8859-6", "iso-8859-6-e": "iso-8859-6",
        "logical": "iso-8859-8", "visual": "iso-8859-8", "big5-eten": "big5-hkscs", "l9": "iso-8859-15",
        "sjis-jisx0213": "shift_jisx0213", "iso-10646-ucs-2": "ucs-2be",
        "viet-tcvn5712": "tcvn5712-1", "koi8": "koi8-r", "unicode": "utf-16",
    ]

    /// What iconv calls it, without the marks that programs put before names; nil if it does not know it.
    private static func systemName(of name: String) -> String? {
        let bare = name.hasPrefix("x-") ? String(name.dropFirst(2)) : name
        var names = [larger[name] ?? larger[bare] ?? name, bare]
        for prefix in ["windows-cp", "windows-", "windows", "win-", "cp-", "ibm-", "dos-"]
        where bare.hasPrefix(prefix) {
            let number = bare.dropFirst(prefix.count)
            if number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                names.append(larger["windows-\(number)"] ?? "cp\(number)")
            }
        }
        return names.first(where: isKnown)
    }

    private static func isKnown(_ name: String) -> Bool {
        guard name.utf8.count < 64, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x2f }),
            let converter = Converter(name)
        else { return false }
        return converter.isOpen
    }
}

/// One iconv conversion into UTF-8, closed when it is no longer used.
struct Converter: ~Copyable {
    private let handle: iconv_t?

    init?(_ name: String) {
        let opened = iconv_open("UTF-8", name)
        guard opened != iconv_t(bitPattern: -1) else { return nil }
        handle = opened
    }

    deinit { if let handle { iconv_close(handle) } }

    var isOpen: Bool { handle != nil }

    /// Converts the bytes to UTF-8. Invalid bytes become U+FFFD each.
    func convert(_ bytes: Span<UInt8>) -> (utf8: [UInt8], hasProblem: Bool) {
        guard let handle, !bytes.isEmpty else { return ([], false) }
        var output = [UInt8](repeating: 0, count: bytes.count * 2 + 64)
        var written = 0
        var hasProblem = false
        bytes.withUnsafeBytes { input in
            var source = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: CChar.self))
            var left = input.count
            while left > 0 {
                let result = output.withUnsafeMutableBytes { buffer in
                    var room = buffer.count - written
                    var target = buffer.baseAddress.map {
                        ($0 + written).assumingMemoryBound(to: CChar.self)
                    }
                    let result = iconv(handle, &source, &left, &target, &room)
                    let failure = result == Int(bitPattern: UInt.max) ? errno : 0
                    written = buffer.count - room
                    return failure
                }
                if output.count - written < 128 { output += [UInt8](repeating: 0, count: output.count) }
                if result == 0 || result == E2BIG { continue }
                hasProblem = true
                source = source.map { $0 + 1 }
                left -= 1
                for byte in [0xEF, 0xBF, 0xBD] as [UInt8] {
                    output[written] = byte
                    written += 1
                }
            }
        }
        // Some charsets write a letter and its mark apart, and the last letter waits for a mark until it hears
        // that none follows.
        output.withUnsafeMutableBytes { buffer in
            var room = buffer.count - written
            var target = buffer.baseAddress.map { ($0 + written).assumingMemoryBound(to: CChar.self) }
            _ = iconv(handle, nil, nil, &target, &room)
            written = buffer.count - room
        }
        output.removeLast(output.count - written)
        return (output, hasProblem)
    }
}
