public import MailKernelAPI

/// What a message's header says about leaving its mailing list (RFC 2369 and RFC 8058).
///
/// Strangers write it: work and results are bounded, and an address of any other kind than those below is left out.
public struct UnsubscribeHeader: Sendable, Hashable {
    /// The `https:`, `http:` and `mailto:` addresses in the sender's order, which is that of preference.
    public private(set) var addresses: [String] = []
    /// Whether a POST to the `https:` address unsubscribes without a question.
    public private(set) var isOneClick = false
    /// The server that took the message found no valid signature of the sender.
    public private(set) var isUnsigned = false
    /// The id of the list (RFC 2919), in lower case.
    public private(set) var listID: String?

    /// Of a field so much is read, and so many fields and addresses.
    private static let longest = 32_000
    private static let mostFields = 5
    private static let mostAddresses = 20

    public init(_ fields: [HeaderField]) {
        var count = 0
        var isTopmost = true
        for field in fields where field.name.utf8.count <= 40 {
            switch field.name.lowercased() {
            case "list-unsubscribe" where count < Self.mostFields:
                count += 1
                add(Self.addresses(in: Self.plain(field.value)))
            case "list-unsubscribe-post":
                isOneClick = isOneClick || Self.isOneClick(Self.plain(field.value))
            case "authentication-results" where isTopmost:
                // Servers add theirs on top. One that a sender wrote can only take something away.
                isTopmost = false
                isUnsigned = Self.isUnsigned(field.value.prefix(Self.longest).lowercased())
            case "list-id" where listID == nil: listID = Self.listID(in: Self.plain(field.value))
            default: break
            }
        }
    }

    private mutating func add(_ found: [String]) {
        for address in found where addresses.count < Self.mostAddresses && !addresses.contains(address) {
            addresses.append(address)
        }
    }

    /// On one line, with encoded words read: some mailers encode the whole field.
    private static func plain(_ raw: String) -> String {
        let raw = raw.utf8.count > longest ? String(raw.prefix(longest)) : raw
        let text = raw.contains("=?") ? HeaderForm.text(of: raw) : raw
        return text.contains("&lt;")
            ? text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
            : text
    }

    // MARK: Addresses

    private static func addresses(in text: String) -> [String] {
        let bracketed = (HeaderForm.urls(of: text) ?? []).compactMap(address)
        if !bracketed.isEmpty { return bracketed }
        // Brackets that are missing, or have no end.
        return bare(text).compactMap(address)
    }

    /// Words, and what commas separate where the next address begins after them.
    private static func bare(_ text: String) -> [String] {
        let words = text.split { $0.isWhitespace || "<>\"'".contains($0) }
        return words.flatMap { word -> [String] in
            var pieces: [String] = []
            for piece in word.split(separator: ",").map(String.init) {
                if let last = pieces.last, scheme(of: piece) == nil, scheme(of: last) != nil {
                    pieces[pieces.count - 1] = last + "," + piece
                } else {
                    pieces.append(piece)
                }
            }
            return pieces
        }.map(withoutEnd)
    }

    private static func withoutEnd(_ word: String) -> String {
        String(word.reversed().drop { ",;.)".contains($0) }.reversed())
    }

    /// The address in its usual form; nil if it is of no kind that is used.
    private static func address(_ text: String) -> String? {
        var text = text.drop { "\"'<".contains($0) }
        while let last = text.last, "\"'>".contains(last) { text.removeLast() }
        if text.lowercased().hasPrefix("url:") { text = text.dropFirst(4) }
        guard let scheme = scheme(of: String(text)) else {
            return isMailAddress(text) ? "mailto:" + text : nil
        }
        var rest = text.dropFirst(scheme.count + 1)
        if scheme == "mailto" {
            rest = rest.drop { $0 == "/" }
            return rest.contains("@") || rest.contains("%40") ? "mailto:" + rest : nil
        }
        guard rest.hasPrefix("//"), rest.count > 2 else { return nil }
        return scheme + ":" + rest
    }

    private static func scheme(of text: String) -> String? {
        guard let colon = text.prefix(12).firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        return ["https", "http", "mailto"].contains(scheme) ? scheme : nil
    }

    /// Without `mailto:`, which some mailers forget.
    private static func isMailAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].contains(".") else { return false }
        return !text.contains { ":/?\\()".contains($0) || $0.isWhitespace }
    }

    // MARK: Other fields

    private static func isOneClick(_ text: String) -> Bool {
        text.split { $0.isWhitespace || ",;&\"<>".contains($0) }
            .contains { $0.lowercased() == "list-unsubscribe=one-click" }
    }

    /// It has looked for signatures (RFC 8601), and none is valid.
    private static func isUnsigned(_ results: String) -> Bool {
        let found = results.split { $0.isWhitespace || $0 == ";" }.filter { $0.hasPrefix("dkim=") }
        return !found.isEmpty && !found.contains { $0.dropFirst(5).hasPrefix("pass") }
    }

    private static func listID(in text: String) -> String? {
        let parts = text.split(separator: "<", maxSplits: 1, omittingEmptySubsequences: false)
        let bracketed = parts.count == 2 ? parts[1].prefix { $0 != ">" } : nil
        let id = (bracketed ?? text[...]).filter { !$0.isWhitespace }.lowercased()
        return id.isEmpty ? nil : String(id.prefix(255))
    }
}
