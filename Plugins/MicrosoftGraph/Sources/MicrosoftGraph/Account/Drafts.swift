import FoundationEssentials
import MailKernelAPI

/// A message that was made at the service.
struct MadeDraft: Sendable {
    let id: String
    /// Whom Exchange found in To, Cc and Bcc, in lower case.
    let recipients: Set<String>
    let bcc: [JSONValue]

    init?(_ json: JSONValue?) {
        guard let json, let id = json["id"]?.stringValue, RemoteMessageID(id).isUsable else { return nil }
        self.id = id
        bcc = json["bccRecipients"]?.arrayValue ?? []
        let all = ["toRecipients", "ccRecipients", "bccRecipients"].flatMap { json[$0]?.arrayValue ?? [] }
        // Those without @ are names within the organization.
        recipients = Set(
            all.compactMap { $0["emailAddress"]?["address"]?.stringValue?.lowercased() }
                .filter { $0.contains("@") })
    }

    static let select = "id,isDraft,parentFolderId,toRecipients,ccRecipients,bccRecipients"
}

extension GraphAccountSession {
    /// Makes a message from its bytes; what is too large for one request is attached to it afterwards.
    func create(_ bytes: Data, at path: String, purpose: String) async throws -> MadeDraft {
        guard bytes.count > LargeMessage.mostAtOnce else {
            return try await make(bytes, at: path, purpose: purpose)
        }
        let large = try LargeMessage(bytes)
        let draft = try await make(large.rest, at: path, purpose: purpose)
        do {
            for attachment in large.attachments { try await attach(attachment, to: draft.id) }
        } catch {
            _ = await discard(draft.id)
            throw error
        }
        return draft
    }

    private func make(_ bytes: Data, at path: String, purpose: String) async throws -> MadeDraft {
        let json = try await wire.send("POST", path, mime: bytes, purpose: purpose)
        guard let draft = MadeDraft(json) else { throw AccountError.badAnswer("a new message has no id") }
        return draft
    }

    // MARK: Attachments

    private static let piece = 10 * 327_680

    private func attach(_ attachment: LargeMessage.Attachment, to id: String) async throws {
        let path = place.message(id) + "/attachments"
        guard attachment.bytes.count >= LargeMessage.sessionSize else {
            _ = try await wire.send("POST", path, json: attachment.json, purpose: "upload an attachment")
            return
        }
        let session = try await wire.send(
            "POST", path + "/createUploadSession", json: ["AttachmentItem": attachment.item],
            purpose: "upload an attachment")
        guard let text = session?["uploadUrl"]?.stringValue else {
            throw AccountError.badAnswer("an upload session has no URL")
        }
        let url = try place.upload(text)
        let total = attachment.bytes.count
        var start = 0
        while start < total {
            let piece = Data(attachment.bytes.dropFirst(start).prefix(Self.piece))
            let end = start + piece.count
            let response = try await wire.upload(piece, "bytes \(start)-\(end - 1)/\(total)", to: url)
            // The last piece makes the attachment.
            guard (end == total) == (response.status == 201) else {
                throw AccountError.badAnswer("an upload ended too early or too late")
            }
            start = end
        }
    }
}
