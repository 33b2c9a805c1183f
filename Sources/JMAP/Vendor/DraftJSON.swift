import Compose
import MailKernelAPI
import MessageFormat
import Store

extension Draft {
    var json: [String: JSONValue] {
        var object = content.json
        object["id"] = .string(id.rawValue)
        object["emailId"] = emailID.map { .string($0.rawValue) } ?? .null
        object["savedAt"] = .string(JMAPDate.write(savedAt))
        object["conflict"] = conflict.map { ["emailId": .string($0.rawValue)] } ?? .null
        object["submissionId"] = submissionID.map { .string($0.rawValue) } ?? .null
        object["failure"] = failure.map { .string($0) } ?? .null
        return object
    }
}

extension Draft {
    /// The same, with the problems that depend on the user's templates.
    func json(_ store: MailStore) async throws(StorageError) -> [String: JSONValue] {
        json(try await MessageTemplates(store: store).placeholders(leftIn: [content]))
    }

    /// The same of several drafts. The templates are read once.
    static func json(_ drafts: [Draft], _ store: MailStore) async throws(StorageError) -> [Record] {
        let own = try await MessageTemplates(store: store).placeholders(leftIn: drafts.map(\.content))
        return drafts.map { ($0.id.rawValue, $0.json(own)) }
    }

    /// - Parameter own: placeholders of the user's templates.
    private func json(_ own: Set<String>) -> [String: JSONValue] {
        var object = json
        if !own.isEmpty {
            object["problems"] = .array(content.problems(withPlaceholders: own).map { .object($0.json) })
        }
        return object
    }
}

extension DraftContent {
    var json: [String: JSONValue] {
        [
            "identityId": .string(identityID.rawValue), "mode": .string(mode.rawValue),
            "sourceEmailId": sourceEmailID.map { .string($0.rawValue) } ?? .null,
            "to": Self.json(to), "cc": Self.json(cc), "bcc": Self.json(bcc), "subject": .string(subject),
            "body": .string(body), "html": html.map { .string($0) } ?? .null,
            "inReplyTo": Self.json(inReplyTo), "references": Self.json(references),
            "attachments": .array(attachments.map { .object($0.json) }),
            "encodedSize": .number(Double(encodedSize)),
            "problems": .array(problems.map { .object($0.json) }),
            "remindAt": remindAt.map { .string(JMAPDate.write($0)) } ?? .null,
        ]
    }

    private static func json(_ addresses: [EmailAddress]) -> JSONValue {
        .array(
            addresses.map { ["name": $0.name.map { .string($0) } ?? .null, "email": .string($0.email)] })
    }

    private static func json(_ ids: [String]) -> JSONValue {
        ids.isEmpty ? .null : .array(ids.map { .string($0) })
    }
}

extension DraftAttachment {
    fileprivate var json: [String: JSONValue] {
        [
            "blobId": .string(blobID.rawValue), "name": name.map { .string($0) } ?? .null,
            "type": .string(type), "size": .number(Double(size)), "isPending": .bool(isPending),
            "problem": problem.map { .string($0) } ?? .null, "cid": cid.map { .string($0) } ?? .null,
            "disposition": isInline ? "inline" : "attachment",
        ]
    }
}

extension DraftProblem {
    var json: [String: JSONValue] {
        [
            "kind": .string(kind.rawValue), "field": .string(field),
            "value": value.map { .string($0) } ?? .null, "text": .string(text),
            "blocksSending": .bool(blocksSending),
        ]
    }
}

/// Makes the content of a draft out of what a client says.
struct DraftReader {
    private static let longestText = 5_000_000
    /// A reply to all keeps all of them; how many get one message is up to the server that sends it.
    private static let mostRecipients = 100_000
    private static let mostAttachments = 500

    let context: RequestContext

    /// Properties that the server sets: a client may send them back, and they mean nothing then.
    static let serverSet: Set<String> = [
        "id", "emailId", "savedAt", "encodedSize", "problems", "conflict", "submissionId",
        "failure",
    ]

    func content(
        _ object: [String: JSONValue], over old: DraftContent
    ) throws(SetError) -> DraftContent {
        var content = old
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where !Self.serverSet.contains(key) {
            switch key {
            case "identityId": content.identityID = Id(try text(value, key))
            case "mode":
                guard let mode = DraftContent.Mode(rawValue: try text(value, key)) else {
                    throw .invalidProperty(key, "must be one of \(DraftContent.Mode.list)")
                }
                content.mode = mode
            case "sourceEmailId": content.sourceEmailID = value == .null ? nil : Id(try text(value, key))
            case "to": content.to = try addresses(value, key)
            case "cc": content.cc = try addresses(value, key)
            case "bcc": content.bcc = try addresses(value, key)
            case "subject": content.subject = try text(value, key)
            case "body": content.body = try text(value, key)
            case "html": content.html = value == .null ? nil : try text(value, key)
            case "inReplyTo": content.inReplyTo = try messageIDs(value, key)
            case "references": content.references = try messageIDs(value, key)
            case "attachments": content.attachments = try attachments(value)
            case "remindAt":
                content.remindAt = value.stringValue.flatMap { JMAPDate.readUTC($0) }
                guard value == .null || content.remindAt != nil else {
                    throw .invalidProperty(key, "must be a date like 2014-10-30T06:12:00Z, or null")
                }
            default: throw .invalidProperty(key, "cannot be set")
            }
        }
        return content
    }

    private func text(_ value: JSONValue, _ key: String) throws(SetError) -> String {
        if value == .null { return "" }
        guard let text = value.stringValue, text.utf8.count <= Self.longestText else {
            throw .invalidProperty(key, "must be a string of at most 5,000,000 bytes")
        }
        return context.resolved(text).flatMap { key.hasSuffix("Id") ? $0 : nil } ?? text
    }

    private func addresses(_ value: JSONValue, _ key: String) throws(SetError) -> [EmailAddress] {
        guard value != .null else { return [] }
        guard let array = value.arrayValue, array.count <= Self.mostRecipients else {
            throw .invalidProperty(key, "must be an array of at most 100,000 addresses")
        }
        var addresses: [EmailAddress] = []
        for element in array {
            // Typed text is kept, even if it is not an address.
            guard let email = element["email"]?.stringValue, email.utf8.count <= 20_000 else {
                throw .invalidProperty(key, "must contain objects with “email”")
            }
            let name = element["name"] ?? .null
            guard name == .null || name.stringValue != nil else {
                throw .invalidProperty(key, "must contain names that are strings or null")
            }
            if email.isEmpty, name.stringValue?.isEmpty ?? true { continue }
            addresses.append(EmailAddress(name: name.stringValue, email: email))
        }
        return addresses
    }

    private func messageIDs(_ value: JSONValue, _ key: String) throws(SetError) -> [String] {
        guard value != .null else { return [] }
        let ids = (value.arrayValue ?? []).compactMap(\.stringValue)
        guard let array = value.arrayValue, ids.count == array.count, ids.count <= 100,
            ids.allSatisfy({ id in
                (1...900).contains(id.utf8.count)
                    && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E }
            })
        else { throw .invalidProperty(key, "must be an array of at most 100 Message-IDs, or null") }
        return ids
    }

    private func attachments(_ value: JSONValue) throws(SetError) -> [DraftAttachment] {
        guard value != .null else { return [] }
        guard let array = value.arrayValue, array.count <= Self.mostAttachments else {
            throw .invalidProperty("attachments", "must be an array of at most 500 files")
        }
        var attachments: [DraftAttachment] = []
        for element in array {
            guard let blobID = element["blobId"]?.stringValue.flatMap({ context.resolved($0) }),
                Id<Blob>(blobID).isValid
            else { throw .invalidProperty("attachments", "must contain objects with “blobId”") }
            var attachment = DraftAttachment(
                blobID: Id(blobID), name: element["name"]?.stringValue.map { String($0.prefix(500)) },
                type: element["type"]?.stringValue ?? "application/octet-stream",
                size: max(0, element["size"]?.intValue ?? 0))
            // An attachment that is sent back unchanged stays as it is; without its problem it is retried.
            attachment.problem = element["problem"]?.stringValue.map { String($0.prefix(1000)) }
            attachment.cid = try Self.cid(element["cid"] ?? .null)
            attachment.isInline = element["disposition"] == "inline" && attachment.cid != nil
            attachments.append(attachment)
        }
        return attachments
    }

    private static func cid(_ value: JSONValue) throws(SetError) -> String? {
        if value == .null { return nil }
        guard let cid = value.stringValue, ComposedHTML.isPlain(cid: cid) else {
            throw .invalidProperty(
                "attachments", "must contain a “cid” of at most 200 letters, digits and “._@+=$-”, or null")
        }
        return cid
    }
}

extension DraftContent.Mode {
    /// For messages to clients.
    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
