import CGMime

extension HeaderForm {
    /// Unfolded, with encoded words decoded, in normalization form C, without control characters.
    public static func text(of raw: String) -> String {
        let unfolded = unfolded(raw)
        let start = unfolded.drop { $0 == " " }
        guard start.utf8.contains(where: { $0 >= 0x80 }) || String(start).containsBytes(of: "=?") else {
            return withoutControls(String(start))
        }
        return normalized(withoutControls(EncodedWordReader.decoded(String(start))))
    }

    /// A cleaned name from a header field: decoded, without invisible characters, on one line.
    static func clean(_ text: String) -> String {
        let text = withoutControls(unfolded(text))
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        return (isASCII ? text : normalized(text)).trimmingBlanks()
    }

    /// RFC 5322, section 2.2.3: the line ends go, the white space behind them stays.
    static func unfolded(_ raw: String) -> String {
        guard raw.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return raw }
        return String(decoding: raw.utf8.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    private static func withoutControls(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return text }
        return String(
            decoding: text.utf8.filter { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, as: UTF8.self)
    }

    private static func normalized(_ text: String) -> String {
        guard let form = g_utf8_normalize(text, -1, G_NORMALIZE_NFC) else { return text }
        defer { g_free(form) }
        return String(cString: form)
    }
}
