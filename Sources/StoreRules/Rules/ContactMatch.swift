public import MailKernelAPI

extension Contact {
    /// The text of a search as `matches` compares it.
    public static func needle(_ text: String) -> String {
        TextFolding.fold(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    /// The text to pass to `matches`, which a store keeps: the address and the name, with a line end between them.
    public static func folded(email: String, name: String?) -> String {
        TextFolding.fold(email) + "\n" + TextFolding.fold(name ?? "")
    }

    /// Whether a word of the name begins with the text, or the address contains it. No text matches every contact.
    ///
    /// - Parameter folded: the address and the name, with a line end between them.
    public func matches(_ needle: String, folded: String) -> Bool {
        guard !needle.isEmpty else { return true }
        let name = name ?? ""
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        var isInAddress = true
        var rest = folded.utf8[...]
        var before = UInt8(ascii: "\n")
        while let byte = rest.first {
            if rest.starts(with: needle.utf8) {
                // Where a word begins in plain text shows when it is folded, too.
                if isInAddress || isPlain && !TextFolding.isASCIIPartOfWord(before) { return true }
            }
            if byte == UInt8(ascii: "\n") {
                isInAddress = false
                if !isPlain { return TextFolding.hasWord(beginningWith: needle, in: name) }
            }
            before = byte
            rest = rest.dropFirst()
        }
        return false
    }
}
