import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// Makes what the composer begins with. Nothing is saved.
package struct Prefill: Sendable {
    /// So many Message-IDs of a conversation are named: its first, and the last ones.
    private static let mostReferences = 20
    private static let longestMessageID = 250

    let store: MailStore
    /// Whose clock the dates of quoted messages are given in.
    var zone = TimeZone.current

    package init(store: MailStore) {
        self.store = store
    }

    /// An empty message, or what a `mailto:` link asks for; nil if the link is none.
    package func new(mailto: String?, in accountID: Id<Account>) async throws -> DraftContent? {
        let identities = try await store.read.identities(nil, in: accountID)
        guard let identity = identities.first else { throw ComposeError.noIdentity }
        var content = DraftContent(identityID: identity.id, bcc: identity.bcc)
        var text = ""
        if let mailto {
            guard let link = MailtoLink(mailto) else { return nil }
            content.to = link.to
            content.cc = link.cc
            content.bcc += link.bcc
            content.subject = link.subject
            content.inReplyTo = link.inReplyTo
            text = ComposedParagraphs.html(of: link.body)
        }
        let signature = try await Signatures(store: store).html(of: identity, isReply: false)
        content.write((text.isEmpty ? Self.emptyParagraph : text) + signature)
        return content
    }

    /// An answer to an email, or the email passed on; nil if there is no such email.
    package func content(
        _ mode: DraftContent.Mode, of emailID: Id<Email>, in accountID: Id<Account>
    ) async throws -> DraftContent? {
        guard let email = try await store.read.emails([emailID], in: accountID).first?.email,
            let body = try await store.read.body(of: emailID, in: accountID)
        else { return nil }
        let identities = try await store.read.identities(nil, in: accountID)
        let receiving = ReceivingIdentity(identities: identities)
        guard let identity = receiving.identity(for: email.header, body.headers) else {
            throw ComposeError.noIdentity
        }
        let header = email.header
        var content = DraftContent(
            identityID: identity.id, mode: mode, sourceEmailID: emailID, bcc: identity.bcc)
        let signature = try await Signatures(store: store).html(of: identity, isReply: true)
        let beginning = Self.emptyParagraph + signature
        if mode == .forward || mode == .forwardAsAttachment {
            content.subject = SubjectLine.forward(of: header.subject ?? "")
            if mode == .forward {
                passOn(email, body, behind: beginning, in: &content)
            } else {
                content.write(beginning)
                content.attachments = [Self.attached(email)]
            }
            return content
        }
        let recipients = ReplyRecipients(
            to: header, fields: body.headers, toAll: mode == .replyAll,
            isSent: try await isSent(email),
            account: try await OwnAddresses.load(from: store, only: accountID),
            own: try await OwnAddresses.load(from: store))
        content.to = recipients.to
        content.cc = recipients.cc
        content.subject = SubjectLine.reply(to: header.subject ?? "")
        quote(email, body, behind: beginning, in: &content)
        content.inReplyTo = header.messageID.filter(Self.isUsable)
        content.references = Self.references(of: header)
        return content
    }

    private static let emptyParagraph = "<p><br></p>"

    /// The original below what the user will write.
    private func quote(
        _ email: Email, _ body: EmailBody, behind beginning: String, in content: inout DraftContent
    ) {
        let original = OriginalMessage(body, isQuoted: true, dropsSignature: true)
        let heading = QuoteHeading.attribution(email.header, receivedAt: email.receivedAt, in: zone)
        content.write(
            "\(beginning)<div class=\"moz-cite-prefix\">\(ComposedHTML.escaped(heading))</div>"
                + "<blockquote type=\"cite\">\(original.html)</blockquote>")
        content.attachments = original.images
    }

    private func passOn(
        _ email: Email, _ body: EmailBody, behind beginning: String, in content: inout DraftContent
    ) {
        let original = OriginalMessage(body, isQuoted: true)
        let lines = QuoteHeading.forwarding(email.header, receivedAt: email.receivedAt, in: zone)
        let heading = lines.map(ComposedHTML.escaped).joined(separator: "<br>")
        content.write(
            "\(beginning)<div>\(heading)</div><div><br></div>\(ComposedHTML.forwarded(original.html))")
        content.attachments = original.attachments
    }

    /// The whole message as a file.
    private static func attached(_ email: Email) -> DraftAttachment {
        let subject = (email.header.subject ?? "").filter { !"/\\:".contains($0) }.prefix(100)
        let name = subject.allSatisfy(\.isWhitespace) ? "message" : String(subject)
        return DraftAttachment(
            blobID: email.blobID, name: name + ".eml", type: "message/rfc822", size: email.size)
    }

    private func isSent(_ email: Email) async throws(StorageError) -> Bool {
        try await store.read.mailboxes(nil, in: email.accountID).map(\.mailbox).contains {
            ($0.role == .sent || $0.role == .drafts) && email.mailboxIDs.contains($0.id)
        }
    }

    /// RFC 5322, section 3.6.4.
    static func references(of header: EmailHeader) -> [String] {
        let chain =
            header.references.isEmpty && header.inReplyTo.count == 1 ? header.inReplyTo : header.references
        var seen: Set<String> = []
        let all = (chain + header.messageID).filter(isUsable)
        // Of one that is named twice the last place counts: it is the nearest.
        let once = Array(all.reversed().filter { seen.insert($0).inserted }.reversed())
        guard once.count > mostReferences, let first = once.first else { return once }
        return [first] + once.suffix(mostReferences - 1)
    }

    static func isUsable(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= longestMessageID
            && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E }
    }
}
