public import MailKernelAPI

/// How an address is shown so that it cannot be taken for another one.
public struct AddressLook: Sendable, Hashable {
    /// The address, with its host as servers know it where the letters deceive.
    public var email: String
    /// A warning, as a sentence.
    public var warning: String?

    public init(_ address: EmailAddress) {
        email = address.email
        if Self.isPlain(address.email) { lowerHost() } else { lookAtAddress() }
        if warning == nil { lookAtLocalPart() }
        if warning == nil, let name = address.name { lookAtName(name) }
    }

    /// Nearly all are, and need nothing.
    private static func isPlain(_ email: String) -> Bool {
        email.utf8.allSatisfy { (0x21..<0x7F).contains($0) } && !email.hasPunycode
    }

    /// As browsers show it: `paypaI.com` with a capital I is `paypai.com`.
    private mutating func lowerHost() {
        guard let at = email.lastIndex(of: "@"),
            email[at...].utf8.contains(where: { (0x41...0x5A).contains($0) })
        else { return }
        email = email[..<at] + email[at...].lowercased()
    }

    private mutating func lookAtAddress() {
        email = ShownText.line(email)
        guard let at = email.lastIndex(of: "@") else { return }
        let local = String(email[..<at])
        let host = HostLook(String(email[email.index(after: at)...]))
        email = "\(local)@\(host.shown)"
        if let problem = host.warning {
            warning = "This address may not be what it seems: \(problem)"
        }
    }

    /// Before the host another address may stand, of which alone is seen what there is room for.
    private mutating func lookAtLocalPart() {
        guard let at = email.lastIndex(of: "@") else { return }
        let local = String(email[..<at])
        let beginning = local.unicodeScalars.prefix(1000)
        let own = Self.domain(of: email)
        if beginning.contains(where: PlainLook.isAtSign),
            let seen = SeenAddress.all(in: String(String.UnicodeScalarView(beginning)))
                .first(where: { Self.domain(of: $0.text) != own })
        {
            warning = "This address begins with another address, \(seen.text), but it belongs to \(own)."
        } else if !local.utf8.allSatisfy({ $0 < 0x80 }), UnicodeNames.shared.mixesScripts(local) {
            warning =
                "This address mixes letters of different alphabets and may imitate another address."
        }
    }

    /// A name may hold an address, so that it is taken for the sender's.
    private mutating func lookAtName(_ name: String) {
        let name = name.unicodeScalars.prefix(Self.longestName)
        guard name.contains(where: { PlainLook.isAtSign($0) || PlainLook.isDot($0) }) else { return }
        let own = Self.domain(of: email)
        let real = email.isEmpty ? "There is no real address." : "The real address is \(email)."
        // What cannot be seen takes no room before the address.
        let shown = ShownText.line(String(String.UnicodeScalarView(name)))
        let beginning = String(String.UnicodeScalarView(shown.unicodeScalars.prefix(1000)))
        for seen in SeenAddress.all(in: beginning) {
            let claimed = Self.domain(of: seen.text)
            if claimed == own || seen.isSpaced && own.hasSuffix("." + claimed) { continue }
            warning = "The name contains another address, \(seen.text). \(real)"
            return
        }
        for host in SeenAddress.hosts(in: beginning) where !Self.belong(host, own) {
            warning = "The name contains the web address \(host). \(real)"
            return
        }
    }

    private static let longestName = 20_000

    /// Whether one host is the other, or within it.
    private static func belong(_ left: String, _ right: String) -> Bool {
        left == right || left.hasSuffix("." + right) || right.hasSuffix("." + left)
    }

    private static func domain(of email: String) -> String {
        guard let at = email.lastIndex(of: "@") else { return "" }
        return email[email.index(after: at)...].lowercased()
    }
}

extension EmailAddress {
    public var look: AddressLook { AddressLook(self) }
}
