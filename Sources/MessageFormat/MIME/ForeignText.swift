public import FoundationEssentials

/// Text that came as bytes.
public enum ForeignText {
    /// - Parameter charset: as a `Content-Type` names it; nil for UTF-8 or what looks like it.
    /// - Returns: nil if the bytes are no text in that charset, or nobody knows the charset.
    public static func read(_ bytes: Data, charset: String?) -> String? {
        let decoded = Charset(name: charset).text(Array(bytes).span, isBody: true)
        return decoded.hasProblem ? nil : decoded.text
    }
}
