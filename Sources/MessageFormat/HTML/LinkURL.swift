import FoundationEssentials

/// An address that a link may lead to: a page, a mailbox, a telephone, or a place in the message.
struct LinkURL {
    var text: String
    var host: String?
    var isFragment = false

    init?(_ value: String) {
        var text = Self.cleaned(value)
        if text.hasPrefix("#") {
            self.text = text
            isFragment = true
            return
        }
        if text.hasPrefix("//") { text = "https:" + text }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        switch text[..<colon].lowercased() {
        case "http", "https":
            // Browsers take as many slashes as there are, and backslashes for slashes.
            let rest = text[text.index(after: colon)...].drop { $0 == "/" || $0 == "\\" }
            guard let host = Self.host(of: rest) else { return nil }
            self.host = Self.plain(host)
            self.text = "\(text[..<colon].lowercased())://\(rest)"
        case "mailto", "tel":
            self.text = text
        default: return nil
        }
    }

    /// As browsers read it: without white space and controls at its ends, without line ends and tabs.
    static func cleaned(_ value: String) -> String {
        let bytes = value.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != 0 }
        let text = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        return String(decoding: Array(text), as: UTF8.self)
    }

    /// The host in what follows the slashes, in lower case; nil if there is none.
    private static func host(of rest: Substring) -> String? {
        var authority = rest.prefix { !"/\\?#".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        if authority.first == "[" {
            authority = authority.prefix { $0 != "]" }.dropFirst()
        } else {
            authority = authority.prefix { $0 != ":" }
        }
        return authority.isEmpty ? nil : authority.lowercased()
    }

    /// As browsers read it: `%D0%B0pple.com.` is `аpple.com`.
    private static func plain(_ host: String) -> String {
        let host = unescaped(host).lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Percent escapes decoded, as in `cid:` URLs.
    static func unescaped(_ text: String) -> String {
        guard text.contains("%") else { return text }
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%"), bytes.count >= 2,
                let high = hexValue(bytes[bytes.startIndex]), let low = hexValue(bytes[bytes.startIndex + 1])
            {
                output.append(high << 4 | low)
                bytes = bytes.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// Addresses of what a page wants to load.
enum RemoteURL {
    static func isRemote(_ url: String) -> Bool {
        let start = url.prefix(8).lowercased()
        return start.hasPrefix("http:") || start.hasPrefix("https:") || start.hasPrefix("//")
            || start.hasPrefix("\\\\") || start.hasPrefix("ftp:")
    }

    /// The address, if it is one of HTTPS.
    static func https(_ url: String) -> String? {
        guard let link = LinkURL(url), link.host != nil, link.text.hasPrefix("https:") else { return nil }
        return link.text
    }

    /// The URL over HTTPS. Most servers have the same image there; for a URL with an explicit port, the HTTPS
    /// port is unknown.
    static func encrypted(_ url: String) -> String? {
        if let url = https(url) { return url }
        guard let link = LinkURL(url), link.host != nil, link.text.hasPrefix("http://") else { return nil }
        let rest = link.text.dropFirst("http://".count)
        let authority = rest.prefix { !"/\\?#".contains($0) }
        // What follows an IPv6 address in brackets.
        let port = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
        guard let colon = port.lastIndex(of: ":") else { return "https://\(rest)" }
        let number = port[port.index(after: colon)...]
        guard number.isEmpty || number == "80" else { return nil }
        return "https://\(authority[..<colon])\(rest.dropFirst(authority.count))"
    }

    /// The first address that `srcset` lists.
    static func first(srcset: String) -> String? {
        // An address may hold commas, but neither begins nor ends with one.
        let candidate = srcset.drop { $0.isWhitespace || $0 == "," }.prefix { !$0.isWhitespace }
        return candidate.isEmpty ? nil : candidate.trimmingBlanks(and: ",")
    }

    /// A `data:` URL of a picture that cannot hold a script.
    static func imageData(_ url: String) -> String? {
        let head = url.prefix(40).lowercased()
        let types = ["png", "gif", "jpeg", "jpg", "webp", "bmp"]
        guard url.utf8.count < 5_000_000,
            types.contains(where: { head.hasPrefix("data:image/\($0);base64,") })
        else { return nil }
        let data = url.utf8.drop { $0 != UInt8(ascii: ",") }.dropFirst()
        return data.allSatisfy { Parameters.isAtomText($0) || $0 == 0x20 } ? url : nil
    }
}
