import CGMime
public import MailKernelAPI

extension EmailBodyValue {
    /// The value cut to at most `bytes` bytes of UTF-8, as `maxBodyValueBytes` of `Email/get` asks: never
    /// within a character, and in HTML never within a tag or a character reference.
    ///
    /// - Parameter bytes: 0 for no limit, as in JMAP.
    public func truncated(toBytes bytes: Int, isHTML: Bool) -> EmailBodyValue {
        guard bytes > 0, value.utf8.count > bytes else { return self }
        var result = self
        result.value = String(value.prefix(utf8: bytes, isHTML: isHTML))
        result.isTruncated = true
        return result
    }
}

extension EmailBody {
    /// The values of these parts, those that are held, cut to `bytes`.
    public func values(of parts: [EmailBodyPart], maxBytes bytes: Int = 0) -> [String: EmailBodyValue] {
        var found: [String: EmailBodyValue] = [:]
        for part in parts {
            guard let partID = part.partID, let value = values[partID] else { continue }
            found[partID] = value.truncated(toBytes: bytes, isHTML: part.type == "text/html")
        }
        return found
    }
}

extension EmailBodyPart {
    /// This part and all below it, in the order of the message.
    public var all: [EmailBodyPart] {
        var found: [EmailBodyPart] = []
        addAll(to: &found)
        return found
    }

    private func addAll(to found: inout [EmailBodyPart]) {
        found.append(self)
        for part in subParts { part.addAll(to: &found) }
    }
}

extension String {
    func prefix(utf8 count: Int, isHTML: Bool) -> Substring {
        guard utf8.count > count else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: max(count, 0))
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        let text = self[..<end]
        guard isHTML else { return text }
        for index in text.utf8.indices.reversed() {
            if text.utf8[index] == UInt8(ascii: ">") { break }
            if text.utf8[index] == UInt8(ascii: "<") { return text[..<index] }
        }
        for index in text.utf8.indices.suffix(10).reversed() {
            if text.utf8[index] == UInt8(ascii: ";") { break }
            if text.utf8[index] == UInt8(ascii: "&") { return text[..<index] }
        }
        return text
    }

    /// Whether the bytes of `other` occur: far faster than a search that respects characters.
    func containsBytes(of other: String) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                g_strstr_len(bytes.baseAddress, bytes.count, other) != nil
            }
        }
    }
}
