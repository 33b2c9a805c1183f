import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// An email in Drafts written by another client, or on another device, as a draft. It is stored as one of
/// this program's drafts only when it is changed.
struct ForeignDraft {
    private static let prefix = "D-"

    let store: MailStore

    /// The email behind the id of a draft that was not saved here.
    static func email(of id: Id<Draft>) -> Id<Email>? {
        id.isValid && id.rawValue.hasPrefix(prefix) ? Id(String(id.rawValue.dropFirst(prefix.count))) : nil
    }

    func draft(of emailID: Id<Email>, in accountID: Id<Account>) async throws -> Draft? {
        guard let email = try await store.read.emails([emailID], in: accountID).first?.email,
            email.keywords.contains(.draft)
        else { return nil }
        let id = Id<Draft>(Self.prefix + emailID.rawValue)
        guard let content = try await content(of: email) else { return nil }
        var draft = Draft(id: id, accountID: accountID, content: content, savedAt: email.receivedAt)
        draft.emailID = emailID
        draft.version = 0
        return draft
    }

    func content(of email: Email) async throws -> DraftContent? {
        guard let body = try await store.read.body(of: email.id, in: email.accountID) else { return nil }
        let identities = try await store.read.identities(nil, in: email.accountID)
        let from = email.header.from.first?.key
        guard
            let identity = identities.first(where: { EmailAddress(email: $0.email).key == from })
                ?? identities.first
        else { throw ComposeError.noIdentity }
        let original = OriginalMessage(body, isQuoted: false)
        var content = DraftContent(
            identityID: identity.id, mode: email.header.inReplyTo.isEmpty ? .new : .reply,
            to: email.header.to, cc: email.header.cc, bcc: email.header.bcc,
            subject: email.header.subject ?? "", inReplyTo: email.header.inReplyTo,
            references: email.header.references, attachments: original.attachments)
        if original.isFormatted {
            content.write(original.html)
        } else {
            content.body = TypedText.of(body)
        }
        return content
    }
}

/// The text of a draft that is plain text.
enum TypedText {
    /// With every blank that it has.
    static func of(_ body: EmailBody) -> String {
        let texts = BodyParts.split(body.structure).textBody.compactMap { part -> String? in
            part.partID.flatMap { body.values[$0] }.map { text(of: part, $0.value) }
        }
        return texts.joined(separator: "\n\n").replacing("\r\n", with: "\n")
    }

    private static func text(of part: EmailBodyPart, _ value: String) -> String {
        let type = part.headers.last { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
        guard type.contains("format"), type.contains("flowed") else { return value }
        let deletes = type.replacing(" ", with: "").contains("delsp=yes")
        return FlowedText.joined(value, deletesSpaces: deletes)
    }
}
