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
        case iso2022(ISO2022.Language)
        case eucJP
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
        kind = CharsetNames.kind(of: name ?? "")
    }

    /// Header fields that are not UTF-8 are most likely written as the body is.
    init(forHeadersWithBody name: String?) {
        self.init(name: name)
        switch kind {
        case .named, .mac, .eucJP, .iso2022: break
        case .utf8, .utf7, .hz, .guess, .windows1252, .unknown: kind = .windows1252
        }
    }
}
