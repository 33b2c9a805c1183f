import Mail
import MailKernelAPI
import MessageFormat

/// Who gets an answer to a message.
struct ReplyRecipients {
    var to: [EmailAddress]
    var cc: [EmailAddress] = []

    /// - Parameters:
    ///   - fields: the header of the original message, for its mailing list fields.
    ///   - isSent: it is in Sent or Drafts. Elsewhere it is from someone else even if it names the user as its sender.
    ///   - account: the addresses of the replying account. Mail from the user's other accounts is replied to
    /// normally.
    ///   - own: the addresses of all accounts, which are excluded from the copies.
    init(
        to header: EmailHeader, fields: [HeaderField], toAll: Bool, isSent: Bool, account: OwnAddresses,
        own: OwnAddresses
    ) {
        let list = Self.listAddress(fields)
        let isOwn = isSent && !header.from.isEmpty && header.from.allSatisfy(account.contains)
        let answersTo = Self.answersTo(header, list: toAll ? nil : list)
        // A reply to one's own message goes to its recipients.
        let author = isOwn ? header.to : answersTo
        guard toAll else {
            to = author.once()
            if to.isEmpty { to = answersTo.once() }
            return
        }
        let others = (isOwn ? [] : header.to) + header.cc
        to = author.filter { !(isOwn ? own : account).contains($0) }.once()
        cc = others.filter { !own.contains($0) }.once(besides: to)
        // A list that was written to without being named still gets the answer.
        if let list { cc += [list].once(besides: to + cc) }
        if to.isEmpty {
            // Only the user and Cc recipients: reply to the latter.
            (to, cc) = cc.isEmpty ? (answersTo.once(), []) : (cc, [])
        }
    }

    /// The addresses for replies to the author. A mailing list in Reply-To is skipped.
    private static func answersTo(_ header: EmailHeader, list: EmailAddress?) -> [EmailAddress] {
        let author = header.from.isEmpty ? header.sender : header.from
        let listKey = list?.key
        let wanted = header.replyTo.filter { !$0.email.isEmpty && $0.key != listKey }
        return wanted.isEmpty ? author : wanted
    }

    /// The address of `List-Post` (RFC 2369).
    private static func listAddress(_ fields: [HeaderField]) -> EmailAddress? {
        guard let field = fields.last(where: { $0.name.lowercased() == "list-post" }) else { return nil }
        for url in HeaderForm.urls(of: field.value) ?? [] {
            if let address = MailtoLink(url)?.to.first { return address }
        }
        return nil
    }
}
