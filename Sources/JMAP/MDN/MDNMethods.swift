import Compose
import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

extension Method {
    /// RFC 9007.
    static let receipts = [
        Method("MDN/send", .mdn, MDNMethods.send), Method("MDN/parse", .mdn, MDNMethods.parse),
    ]
}

/// Receipts that tell a sender that a message was displayed. They are sent only on request of the user: the program and
/// its page send none by themselves.
enum MDNMethods {
    @Sendable static func send(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.sendingAccount(&arguments)
        let identityID = try arguments.required(try arguments.name("identityId"), "identityId")
        let asked = try arguments.created("send")
        let updates = try arguments.object("onSuccessUpdateEmail") ?? [:]
        try arguments.finish()
        guard updates.values.allSatisfy({ $0.objectValue != nil }) else {
            throw .invalidArguments("onSuccessUpdateEmail", "must contain objects")
        }
        guard asked.count <= context.limits.maxObjectsInSet else {
            throw MethodError(
                "requestTooLarge", "At most \(context.limits.maxObjectsInSet) receipts at a time.")
        }
        let resolved = Id<Identity>(context.resolved(identityID) ?? identityID)
        let identity = try await context.reading { store throws(StorageError) in
            try await store.identities([resolved], in: account.id).first
        }
        guard let identity else {
            throw .invalidArguments("identityId", "is not an identity of this account")
        }
        var (sent, notSent): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
        var emails: [String: String] = [:]
        for (creationID, value) in asked.sorted(by: { $0.key < $1.key }) {
            do throws(SetError) {
                let (email, json) = try await MDNSending(
                    context: context, account: account, identity: identity
                )
                .send(value)
                sent[creationID] = json
                emails["#" + creationID] = email
            } catch {
                notSent[creationID] = error.json
            }
        }
        await update(emails, updates, account, &context)
        return [
            "accountId": .string(account.id.rawValue), "sent": sent.isEmpty ? .null : .object(sent),
            "notSent": notSent.isEmpty ? .null : .object(notSent),
        ]
    }

    private static func update(
        _ emails: [String: String], _ updates: [String: JSONValue], _ account: Account,
        _ context: inout RequestContext
    ) async {
        var update: [String: JSONValue] = [:]
        for (id, patch) in updates { if let email = emails[id] { update[email] = patch } }
        guard !update.isEmpty else { return }
        await EmailSetMethods.carryOutImplicitly(["update": .object(update)], in: account, &context)
    }

    @Sendable static func parse(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let ids = try arguments.required(try arguments.ids("blobIds"), "blobIds")
        try arguments.finish()
        let limit = context.limits.maxObjectsInGet
        guard ids.count <= limit else { throw .tooManyObjects(limit) }
        var parsed: [String: JSONValue] = [:]
        var (notParsable, notFound): ([JSONValue], [JSONValue]) = ([], [])
        let blobs = context.kernel.blobs
        for id in ids {
            let blobID = Id<Blob>(context.resolved(id) ?? id)
            let message = try await BlobMethods.reading { try await blobs.message(blobID, in: account.id) }
            guard let message else {
                notFound.append(.string(ExactName.restored(id)))
                continue
            }
            if let receipt = ReadReceipt(reading: message) {
                parsed[id] = .object(receipt.json)
            } else {
                notParsable.append(.string(ExactName.restored(id)))
            }
        }
        return [
            "accountId": .string(account.id.rawValue), "parsed": parsed.isEmpty ? .null : .object(parsed),
            "notParsable": notParsable.isEmpty ? .null : .array(notParsable),
            "notFound": notFound.isEmpty ? .null : .array(notFound),
        ]
    }
}

extension ReadReceipt {
    /// Without the email that it is about, which its reader has to find.
    var json: [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return [
            "forEmailId": .null, "subject": text(subject), "textBody": text(self.text),
            "includeOriginalMessage": .bool(hasOriginal), "reportingUA": text(reportingUA),
            "disposition": [
                "actionMode": .string(actionMode), "sendingMode": .string(sendingMode), "type": .string(kind),
            ],
            "mdnGateway": text(gateway), "originalRecipient": text(originalRecipient),
            "finalRecipient": text(finalRecipient), "originalMessageId": text(originalMessageID),
            "error": errors.isEmpty ? .null : .array(errors.map { .string($0) }),
            "extensionFields": extensionFields.isEmpty
                ? .null : .object(extensionFields.mapValues { .string($0) }),
        ]
    }
}
