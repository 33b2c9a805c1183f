import FoundationEssentials
import MailKernelAPI

/// Where Microsoft Graph is, and whose mailbox is meant.
struct Place: Sendable, Hashable {
    private static let mostLinkBytes = 16_384

    /// With the version, without a slash at the end: `https://graph.microsoft.com/v1.0`.
    let base: String
    /// The hosts that take large attachments in.
    let uploadHosts: Set<String>
    /// The mailbox, as paths begin: `/me`, or `/users/…` for a shared one.
    let mailbox: String

    init(base: URL, uploadHosts: [String], sharedMailbox: String?) {
        let text = base.absoluteString
        self.base = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.uploadHosts = Set(uploadHosts.map { $0.lowercased() })
        mailbox = sharedMailbox.map { "/users/" + Self.escaped($0) } ?? "/me"
    }

    /// The name of the server, for errors.
    var host: String { URL(string: base)?.host(percentEncoded: false) ?? "Microsoft Graph" }

    func url(_ path: String) throws(AccountError) -> URL {
        guard let url = URL(string: base + path) else { throw .badAnswer("an id cannot be part of a URL") }
        return url
    }

    /// A link that the service gave, such as `@odata.nextLink`.
    ///
    /// - Throws: if it leads anywhere else: the token would go there.
    func link(_ text: String) throws(AccountError) -> URL {
        guard text.utf8.count <= Self.mostLinkBytes, text.hasPrefix(base + "/"), let url = URL(string: text),
            let own = URL(string: base), url.scheme == own.scheme, url.host() == own.host(),
            url.port == own.port, url.user() == nil, url.password() == nil, url.fragment() == nil
        else { throw .badAnswer("a link leads away from Microsoft Graph") }
        return url
    }

    /// A place to upload to, which needs no token.
    func upload(_ text: String) throws(AccountError) -> URL {
        guard text.utf8.count <= Self.mostLinkBytes, let url = URL(string: text), url.scheme == "https",
            url.user() == nil, url.password() == nil,
            let host = url.host(percentEncoded: false)?.lowercased(),
            uploadHosts.contains(host) || host == self.host
        else { throw .badAnswer("an upload leads away from Microsoft") }
        return url
    }

    func message(_ id: String) -> String { "\(mailbox)/messages/\(Self.escaped(id))" }
    func folder(_ id: String) -> String { "\(mailbox)/mailFolders/\(Self.escaped(id))" }

    /// As a part of a path, or a value of a query.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "="), UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            // One dot or two would change the path.
            default: escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    /// A text within a filter of OData.
    static func quoted(_ text: String) -> String { escaped("'" + text.replacing("'", with: "''") + "'") }
}
