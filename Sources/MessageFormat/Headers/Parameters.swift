/// Parameters of MIME fields (RFC 2045, and RFC 2231 for values that do not fit).
enum Parameters {
    /// The parameter as words to be put on lines.
    static func written(_ name: String, _ value: String) -> [String] {
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        if isPlain, value.utf8.count <= 60, !value.containsBytes(of: "=?") {
            let isToken = !value.isEmpty && value.utf8.allSatisfy(isTokenText)
            return ["\(name)=\(isToken ? value : quoted(value))"]
        }
        var pieces: [String] = []
        var piece = "utf-8''"
        for byte in value.utf8 {
            let text =
                isTokenText(byte) && !Array("*'%".utf8).contains(byte)
                ? String(UnicodeScalar(byte)) : EncodedWords.percent(byte, mark: "%")
            if piece.utf8.count + text.utf8.count > 60 {
                pieces.append(piece)
                piece = ""
            }
            piece += text
        }
        pieces.append(piece)
        if pieces.count == 1 { return ["\(name)*=\(pieces[0])"] }
        return pieces.enumerated().map { "\(name)*\($0)*=\($1)" }
    }

    static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    /// The bytes allowed in a word of a display name (RFC 5322, section 3.2.3).
    static func isAtomText(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }

    private static func isTokenText(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?=".utf8.contains(byte)
    }
}
