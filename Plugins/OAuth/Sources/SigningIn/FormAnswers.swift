public import MailKernelAPI

/// What a user typed into a form, by the names of its fields.
extension [String: Secret] {
    /// Without surrounding space, which pasted text often has. Empty if the field is missing.
    public func trimmed(_ field: String) -> String {
        let text = (self[field]?.revealed ?? "").drop(while: \.isWhitespace)
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// A mail address with both of its parts.
    ///
    /// - Throws: `.invalid` with this sentence.
    public func mailAddress(_ field: String, orSay sentence: String) throws(AccountError) -> String {
        let text = trimmed(field)
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text.utf8.count <= 254,
            text.hasNoControls, !text.unicodeScalars.contains(" ")
        else { throw .invalid(field: field, reason: sentence) }
        return text
    }

    /// The user's name, which recipients see. Empty if the user gave none.
    public func personName(_ field: String) throws(AccountError) -> String {
        let name = trimmed(field)
        guard name.utf8.count <= 200, name.hasNoControls else {
            throw .invalid(field: field, reason: "This name is too long.")
        }
        return name
    }
}

extension String {
    /// Whether it cannot end a line or a command.
    public var hasNoControls: Bool {
        unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
