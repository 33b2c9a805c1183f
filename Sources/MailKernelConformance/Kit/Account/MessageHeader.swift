import FoundationEssentials

/// Looks into the header of a raw message, as far as the kit needs it.
enum MessageHeader {
    /// The value of the first field of this name, unfolded; nil if there is none.
    static func value(of name: String, in message: Data) -> String? {
        let text = String(decoding: message.prefix(65_536), as: UTF8.self)
        var value: String?
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0.isNewline }) {
            if line.isEmpty { break }
            let isFolded = line.first == " " || line.first == "\t"
            if let begun = value {
                guard isFolded else { return begun }
                value = begun + " " + trimmed(line)
            } else if !isFolded, let colon = line.firstIndex(of: ":"),
                line[..<colon].lowercased() == name.lowercased()
            {
                value = trimmed(line[line.index(after: colon)...])
            }
        }
        return value
    }

    /// The Message-ID without its angle brackets.
    static func messageID(of message: Data) -> String? {
        value(of: "Message-ID", in: message).map(bare)
    }

    static func bare(_ messageID: String) -> String {
        messageID.filter { $0 != "<" && $0 != ">" }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
