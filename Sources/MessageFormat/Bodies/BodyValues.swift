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
