public import MailKernelAPI

/// How an address is shown so that it cannot be taken for another one.
public struct AddressLook: Sendable, Hashable {
    /// The address, with its host as servers know it where the letters deceive.
    public var email: String
    /// A warning, as a sentence.
    public var warning: String?

    public init(_ address: EmailAddress) {
        email = address.email
        if !Self.isPlain(address.email) { lookAtAddress() }
        if warning == nil { lookAtLocalPart() }
        if warning == nil, let name = address.name { lookAtName(name) }
    }

    /// Nearly all are, and need nothing.
    private static func isPlain(_ email: String) -> Bool {
        email.utf8.allSatisfy { (0x21..<0x7F).contains($0) } && !email.hasPunycode
    }

    private mutating func lookAtAddress() {
        email = ShownText.line(email)
        guard let at = email.lastIndex(of: "@") else { return }
        let local = String(email[..<at])
        let host = HostLook(String(email[email.index(after: at)...]))
        email = "\(local)@\(host.shown)"
        if let problem = host.warning {
            warning = "This address may not be what it seems: \(problem)"
        } else if !local.utf8.allSatisfy({ $0 < 0x80 }), UnicodeNames.shared.mixesScripts(local) {
            warning =
                "This address mixes letters of different alphabets and may imitate another address."
        }
    }

    /// Before the host another address may stand, of which alone is seen what there is room for.
    private mutating func lookAtLocalPart() {
        guard let at = email.lastIndex(of: "@") else { return }
        let local = email[..<at].unicodeScalars.prefix(1000)
        guard local.contains(where: SeenAddress.atSigns.contains) else { return }
        let own = Self.domain(of: email)
        for seen in SeenAddress.all(in: String(String.UnicodeScalarView(local)))
        where Self.domain(of: seen.text) != own {
            warning = "This address begins with another address, \(seen.text), but it belongs to \(own)."
            return
        }
    }

    /// A name may hold an address, so that it is taken for the sender's.
    private mutating func lookAtName(_ name: String) {
        guard name.unicodeScalars.contains(where: SeenAddress.atSigns.contains) else { return }
        let own = Self.domain(of: email)
        let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(1000)))
        for seen in SeenAddress.all(in: beginning) {
            let claimed = Self.domain(of: seen.text)
            if claimed == own || seen.isSpaced && own.hasSuffix("." + claimed) { continue }
            warning = "The name contains another address, \(seen.text). The real address is \(email)."
            return
        }
    }

    private static func domain(of email: String) -> String {
        guard let at = email.lastIndex(of: "@") else { return "" }
        return email[email.index(after: at)...].lowercased()
    }
}

extension EmailAddress {
    public var look: AddressLook { AddressLook(self) }
}
