public import FoundationEssentials

/// Text that came as bytes.
public enum ForeignText {
    /// - Parameter charset: as in `Content-Type`; nil to detect it, with UTF-8 as the default.
    /// - Returns: nil if the bytes are not text in that charset, or the charset is unknown.
    public static func read(_ bytes: Data, charset: String?) -> String? {
        let decoded = Charset(name: charset).text(Array(bytes).span, isBody: true)
        return decoded.hasProblem ? nil : decoded.text
    }
}
