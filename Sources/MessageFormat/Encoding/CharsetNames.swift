import CCharsets

/// The meaning of charset names. ICU knows the registered names; the tables here add what mail means by them: larger
/// charsets (as in the WHATWG's standard), and names that only programs use.
enum CharsetNames {
    static func kind(of name: String) -> Charset.Kind {
        let name = name.lowercased().trimmingBlanks(and: "\"';,")
        // `utf-8//IGNORE`, `iso_8859-15:1999`: as programs write what they give to iconv, or to Python.
        let bare = String(Substring(name.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }))
        if bare.isEmpty { return .guess }
        guard bare.utf8.count < 64, bare.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return .unknown
        }
        // Nearly all mail needs no more than this.
        if let kind = meant(by: bare) { return kind }
        return spellings(of: bare).lazy.compactMap(registered).first ?? .unknown
    }

    /// The name itself, and without what programs put before and after names.
    private static func spellings(of name: String) -> [String] {
        var names = [name]
        var bare = Substring(name)
        for addition in ["x-", "x-", "cs"] where bare.hasPrefix(addition) && bare.count > addition.count {
            bare = bare.dropFirst(addition.count)
            names.append(String(bare))
        }
        if bare.hasSuffix("_charset") { names.append(String(bare.dropLast(8))) }
        let digits = bare.drop { !$0.isNumber }
        if numbered.contains(bare.prefix { !$0.isNumber }.filter(\.isLetter)),
            digits.allSatisfy(\.isNumber), !digits.isEmpty
        {
            names += ["windows-\(digits)", "x-windows-\(digits)", "cp\(digits)", "ibm-\(digits)"]
        }
        return names
    }

    /// Before the number of a code page.
    private static let numbered: Set = ["windows", "windowscp", "win", "cp", "ibm", "dos", "ms"]

    private static func registered(_ name: String) -> Charset.Kind? {
        if let kind = meant(by: name) { return kind }
        let standards = ["MIME", "IANA"].compactMap { (standard: String) in
            ccharsets_standard_name(name, standard).map { String(cString: $0).lowercased() }
        }
        if let kind = standards.lazy.compactMap(meant).first { return kind }
        let written = [name, name.replacing("_", with: "-")] + standards
        if let known = written.first(where: isKnown) { return .named(known) }
        let aliases = (UInt16(0)..<200).lazy.map { ccharsets_alias(name, $0) }.prefix { $0 != nil }
            .compactMap { $0.map { String(cString: $0).lowercased() } }
        if let kind = aliases.compactMap(meant).first { return kind }
        return aliases.first(where: isKnown).map(Charset.Kind.named)
    }

    private static func isKnown(_ name: String) -> Bool {
        guard !name.utf8.contains(0x2F) else { return false }
        if case nil = Converter(name) { return false }
        return true
    }

    /// The charset that mail means by a name, if iconv takes it for another.
    private static func meant(by name: String) -> Charset.Kind? {
        let key = key(name)
        if key.hasPrefix("iso2022jp") { return .iso2022(.japanese) }
        return kinds[key] ?? larger[key].map(Charset.Kind.named)
    }

    /// Only letters and digits count.
    private static func key(_ name: String) -> String {
        var name = name.utf8.prefix { $0 != UInt8(ascii: ":") }
        while name.starts(with: "x-".utf8) { name = name.dropFirst(2) }
        let counted = name.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        return String(decoding: counted, as: UTF8.self)
    }

    private static let kinds: [String: Charset.Kind] = table([
        (.guess, "usascii ascii ansix341968 unknown8bit unknown default 8bit 7bit binary userdefined utf"),
        (.utf8, "utf8 utf8mb4 unicode11utf8 unicode20utf8"),
        (.windows1252, "iso88591 latin1 88591 windows1252 cp1252 ansi"),
        (.utf7, "utf7 unicode11utf7 unicode20utf7"),
        (.hz, "hz hzgb2312 cp52936"),
        (.iso2022(.japanese), "jis jisencoding cp50222"),
        (.iso2022(.korean), "iso2022kr"),
        (.iso2022(.chinese), "iso2022cn iso2022cnext"),
        (.eucJP, "eucjp eucjpms cp51932 ujis"),
        (.mac("mac-greek"), "macgreek"),
        (.mac("mac-turkish"), "macturkish"),
    ])

    private static let larger: [String: String] = table([
        ("gb18030", "gb2312 gbk gb231280 euccn macchinesesimp cp51936 gb180302022"),
        ("cp949", "ksc56011987 ksc5601 euckr ms949 mackorean"),
        ("cp932", "shiftjis sjis mskanji ms932 mscp932 macjapanese cp943"),
        ("big5-hkscs", "big5 macchinesetrad big5eten chinesebig5 cnbig5"),
        ("cp1254", "iso88599"), ("cp874", "iso885911 tis620"),
        ("iso-8859-6", "iso88596i iso88596e"), ("iso-8859-8", "iso88598i iso88598e logical visual"),
        ("macintosh", "macroman mac"), ("mac-cyrillic", "macukrainian"), ("mac-is", "macicelandic"),
        ("mac-centraleurope", "macce maccentraleurroman"),
        ("shift_jisx0213", "sjisjisx0213"), ("utf-16be", "iso10646ucs2 unicodefffe"), ("utf-16", "unicode"),
        ("tcvn5712-1", "viettcvn5712 tcvn"), ("koi8-r", "koi koi8"),
    ])

    private static func table<Value>(_ rows: [(Value, String)]) -> [String: Value] {
        let pairs = rows.flatMap { value, names in names.split(separator: " ").map { (String($0), value) } }
        return Dictionary(pairs) { first, _ in first }
    }
}
