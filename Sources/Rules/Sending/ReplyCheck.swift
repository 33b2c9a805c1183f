import MailKernelAPI
import MessageFormat

/// Whether a message may get an automatic reply (RFC 5230, sections 4.5 and 4.6): only a person who wrote to the user may,
/// and no program that could answer again.
struct ReplyCheck: Sendable {
    let fields: [HeaderField]
    /// The user's addresses, in lower case.
    let own: Set<String>

    private func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    private func addresses(_ names: [String]) -> [String] {
        names.flatMap(values).flatMap { HeaderForm.addresses(of: $0) }.map { $0.email.lowercased() }
    }

    /// The address that a reply goes to; nil if there must be none.
    ///
    /// - Parameter further: other addresses of the user.
    func sender(returnPath: String?, further: [String] = []) -> String? {
        guard let sender = returnPath ?? addresses(["from"]).first, sender.contains("@") else { return nil }
        let mine = own.union(further.map { $0.lowercased() })
        guard !mine.contains(sender.lowercased()), !isProgram(sender.lowercased()), !isAutomatic,
            !mine.isDisjoint(with: addresses(["to", "cc", "bcc", "resent-to", "resent-cc"]))
        else { return nil }
        return sender
    }

    private var isAutomatic: Bool {
        func has(_ name: String, _ words: [String]) -> Bool {
            values(name).contains { value in words.contains { value.lowercased().contains($0) } }
        }
        let isSubmitted = values("auto-submitted").contains {
            $0.lowercased().drop { $0 == " " }.prefix(2) != "no"
        }
        return isSubmitted || has("precedence", ["bulk", "list", "junk"])
            || fields.contains { $0.name.lowercased().hasPrefix("list-") }
            || has("x-auto-response-suppress", ["all", "oof", "autoreply"])
            || has("content-type", ["multipart/report"])
    }

    private func isProgram(_ address: String) -> Bool {
        let name = address.prefix { $0 != "@" }
        let programs = ["mailer-daemon", "postmaster", "listserv", "majordomo", "noreply", "no-reply"]
        return programs.contains { name.hasPrefix($0) } || name.hasPrefix("owner-")
            || name.hasSuffix("-request") || name.hasSuffix("-owner") || name.contains("donotreply")
    }

    /// Whether the message was already sent on from here, or has been on its way for too long.
    var loops: Bool {
        values(Self.mark.lowercased()).contains { value in
            own.contains(value.lowercased().filter { !$0.isWhitespace })
        } || values("received").count > 80
    }

    /// Names the address from which a rule sent a message on.
    static let mark = "X-Sieve-Redirected-From"
}
