import Compose
import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// Sends one receipt (RFC 9007, section 2.1).
struct MDNSending {
    let context: RequestContext
    let account: Account
    let identity: Identity

    /// - Returns: the email that it is about, and what the server has set.
    func send(_ value: JSONValue) async throws(SetError) -> (emailID: String, json: JSONValue) {
        let (asked, emailID, includesOriginal) = try read(value)
        var receipt = asked
        let email = try await email(emailID)
        let recipients = try await recipients(of: email)
        let (kernel, accountID, identity) = (context.kernel, account.id, identity)
        let id = Id<EmailSubmission>("\(EmailSubmission.automaticPrefix)M\(email.email.id.rawValue)")
        let isSent = try await SetError.wrapping {
            try await kernel.store.read.submissions([id], in: accountID).first != nil
        }
        guard !isSent, !email.email.keywords.contains(Keyword("$mdnsent")) else {
            throw SetError("mdnAlreadySent", "A receipt for this message was already sent.")
        }
        receipt.originalMessageID = email.email.header.messageID.first
        receipt.finalRecipient = receipt.finalRecipient ?? "rfc822; \(identity.email)"
        receipt.reportingUA = receipt.reportingUA ?? "mailkernel"
        if let problem = receipt.problem { throw SetError("invalidProperties", problem) }
        let written = receipt
        try await SetError.wrapping {
            let original =
                includesOriginal
                ? try await kernel.blobs.message(email.email.blobID, in: accountID) : nil
            let message = try await written.written(
                from: identity, to: recipients, about: email.email.header, original: original,
                at: kernel.clock.now)
            guard message.count <= DraftContent.maxMessageBytes else {
                throw SetError("tooLarge", "The receipt is too large to be sent.")
            }
            try await kernel.outbox.submitAutomatic(
                message, as: id, from: identity, about: email, to: recipients.map(\.email),
                ifIn: [], with: [])
        }
        var json: [String: JSONValue] = [
            "finalRecipient": .string(receipt.finalRecipient ?? ""),
            "originalMessageId": receipt.originalMessageID.map { .string($0) } ?? .null,
        ]
        if value["reportingUA"] ?? .null == .null { json["reportingUA"] = .string("mailkernel") }
        return (email.email.id.rawValue, .object(json))
    }

    private func read(
        _ value: JSONValue
    ) throws(SetError) -> (receipt: ReadReceipt, emailID: String, includesOriginal: Bool) {
        guard let object = value.objectValue else {
            throw SetError("invalidProperties", "It must be an object.")
        }
        var receipt = ReadReceipt()
        var members = Arguments(object)
        do throws(MethodError) {
            let emailID = try members.required(try members.name("forEmailId"), "forEmailId")
            receipt.subject = try members.string("subject")
            receipt.text = try members.string("textBody")
            receipt.reportingUA = try members.string("reportingUA")
            receipt.finalRecipient = try members.string("finalRecipient")
            let includesOriginal = try members.bool("includeOriginalMessage")
            for (name, value) in try members.object("extensionFields") ?? [:] {
                guard let text = value.stringValue else {
                    throw .invalidArguments("extensionFields", "must contain strings")
                }
                receipt.extensionFields[name] = text
            }
            let disposition = try members.required(try members.object("disposition"), "disposition")
            try members.finish()
            try Self.read(disposition, into: &receipt)
            return (receipt, emailID, includesOriginal)
        } catch {
            let names = (error.details["arguments"]?.arrayValue ?? []).compactMap(\.stringValue)
            throw SetError(
                error.type == "invalidArguments" ? "invalidProperties" : error.type, error.description,
                properties: names)
        }
    }

    private static func read(
        _ object: [String: JSONValue], into receipt: inout ReadReceipt
    ) throws(MethodError) {
        var members = Arguments(object)
        receipt.actionMode = try members.string("actionMode")?.lowercased() ?? ""
        receipt.sendingMode = try members.string("sendingMode")?.lowercased() ?? ""
        receipt.kind = try members.string("type")?.lowercased() ?? ""
        try members.finish()
        guard ["manual-action", "automatic-action"].contains(receipt.actionMode),
            ["deleted", "dispatched", "displayed", "processed"].contains(receipt.kind)
        else { throw .invalidArguments("disposition", "is invalid") }
        // A receipt tells a stranger when a message was read: the user has to be asked.
        guard receipt.sendingMode == "mdn-sent-manually" else {
            throw MethodError(
                "forbidden", "Ask the user before sending a receipt: “sendingMode” must be mdn-sent-manually."
            )
        }
    }

    private func email(_ id: String) async throws(SetError) -> StoredEmail {
        let (store, accountID) = (context.store, account.id)
        let emailID = Id<Email>(context.resolved(id) ?? id)
        let found = try await SetError.wrapping { try await store.emails([emailID], in: accountID).first }
        guard let found else { throw .notFound }
        return found
    }

    /// The addresses that the message asks to inform; none for a draft, which has no sender yet.
    private func recipients(of email: StoredEmail) async throws(SetError) -> [EmailAddress] {
        let (store, accountID) = (context.store, account.id)
        let body = try await SetError.wrapping { try await store.body(of: email.email.id, in: accountID) }
        let fields = (body?.headers ?? []).filter { $0.name.lowercased() == "disposition-notification-to" }
        let addresses = (fields.first.map { HeaderForm.groups(of: $0.value) } ?? []).flatMap(\.addresses)
        let known = addresses.filter { AddressReader.problem(with: $0.email) == nil }
        guard !known.isEmpty, known.count <= 10, !email.email.keywords.contains(.draft) else {
            throw SetError("notFound", "The message does not ask for a receipt.")
        }
        return known
    }
}
