import FoundationEssentials
import Kernel
import MailKernelAPI
import MessageFormat

/// Creates one email from what a client says of it (RFC 8621, section 4.6).
struct EmailCreation {
    let context: RequestContext
    let account: Account
    let mailboxes: MailboxChoice

    func create(_ object: [String: JSONValue]) async throws(SetError) -> StoredEmail {
        let ids = try mailboxes.readForNew(object["mailboxIds"])
        let keywords = try MailboxChoice.keywords(object["keywords"])
        let kernel = context.kernel
        var receivedAt = kernel.clock.now
        if let value = object["receivedAt"], value != .null {
            guard let date = value.stringValue.flatMap(JMAPDate.readUTC) else {
                throw .invalidProperty("receivedAt", "must be a date like 2014-10-30T06:12:00Z")
            }
            receivedAt = date
        }
        let draft = try await draft(object)
        let domain = account.address.split(separator: "@").last.map(String.init) ?? "localhost"
        let (received, accountID) = (receivedAt, account.id)
        return try await SetError.wrapping {
            var builder = MessageBuilder(domain: domain)
            let now = kernel.clock.now
            builder.now = { HeaderDate(date: now) }
            let message: Data
            do {
                message = try await builder.build(draft).message
            } catch let error as BuildError {
                throw SetError(
                    "invalidProperties", error.description,
                    properties: HeaderSetting.names(of: error, in: object))
            }
            return try await kernel.mail.add(
                message, to: ids, keywords: keywords, receivedAt: received, in: accountID)
        }
    }

    private func draft(_ object: [String: JSONValue]) async throws(SetError) -> MessageDraft {
        let fields = try Self.fields(object)
        var body = BodyCreation(
            context: context, account: account, values: try Self.values(object["bodyValues"]))
        if let structure = object["bodyStructure"], structure != .null {
            for key in ["textBody", "htmlBody", "attachments"] where object[key] ?? .null != .null {
                throw .invalidProperty(key, "must not be given together with “bodyStructure”")
            }
            let part = try await body.part(structure, at: "bodyStructure")
            try body.finish()
            return MessageDraft(headers: fields, body: part)
        }
        let text = try await body.only(object["textBody"], "textBody", type: "text/plain")
        let html = try await body.only(object["htmlBody"], "htmlBody", type: "text/html")
        var attachments: [DraftPart] = []
        let attached = object["attachments"] ?? .null
        guard attached == .null || attached.arrayValue != nil else {
            throw .invalidProperty("attachments", "must be an array")
        }
        for value in attached.arrayValue ?? [] {
            var part = try await body.part(value, at: "attachments")
            if part.disposition == nil { part.disposition = "attachment" }
            attachments.append(part)
        }
        try body.finish()
        return MessageDraft(headers: fields, text: text, html: html, attachments: attachments)
    }

    /// The header fields that the properties set, in the order that people expect.
    private static func fields(_ object: [String: JSONValue]) throws(SetError) -> [DraftHeader] {
        var headers: [String: DraftHeader] = [:]
        var names: Set<String> = []
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where !others.contains(key) {
            guard EmailProperties.isKnown(key) else {
                throw .invalidProperty(ExactName.restored(key), "is not a property of an email")
            }
            guard value != .null else { continue }
            let fields = try HeaderSetting.fields(key, value)
            // A property may set several fields, all of one name.
            for (index, field) in fields.enumerated() {
                let name = field.name.lowercased()
                guard !name.hasPrefix("content-") else {
                    throw .invalidProperty(key, "belongs to a part of the body")
                }
                guard index > 0 || names.insert(name).inserted else {
                    throw .invalidProperty(key, "sets a header field that is already set")
                }
                headers[fields.count > 1 ? "\(name) \(index)" : name] = field
            }
        }
        return headers.sorted { order($0.key) < order($1.key) }.map(\.value)
    }

    private static let others: Set<String> = [
        "mailboxIds", "keywords", "receivedAt", "bodyStructure", "bodyValues", "textBody", "htmlBody",
        "attachments",
    ]

    /// The order that people expect of a header, the rest by name.
    private static func order(_ name: String) -> String {
        let known = ["from", "sender", "reply-to", "to", "cc", "bcc", "subject", "date", "message-id"]
        return known.firstIndex(of: name).map { "\($0)" } ?? "a" + name
    }

    private static let valueProperties: Set<String> = ["value", "isEncodingProblem", "isTruncated"]

    private static func values(_ value: JSONValue?) throws(SetError) -> [String: String] {
        var values: [String: String] = [:]
        guard value == nil || value == .null || value?.objectValue != nil else {
            throw .invalidProperty("bodyValues", "must be an object")
        }
        for (partID, value) in value?.objectValue ?? [:] {
            guard let text = value["value"]?.stringValue,
                Set(value.objectValue?.keys.map { $0 } ?? []).isSubset(of: valueProperties),
                [nil, .null, false].contains(value["isEncodingProblem"]),
                [nil, .null, false].contains(value["isTruncated"])
            else { throw .invalidProperty("bodyValues", "must contain complete texts, each in “value”") }
            values[partID] = text
        }
        return values
    }
}

/// Header fields as properties of an email or of a part.
enum HeaderSetting {
    private static let convenience: [String: (field: String, form: HeaderForm)] = [
        "messageId": ("Message-ID", .messageIDs), "inReplyTo": ("In-Reply-To", .messageIDs),
        "references": ("References", .messageIDs), "sender": ("Sender", .addresses),
        "from": ("From", .addresses),
        "to": ("To", .addresses), "cc": ("Cc", .addresses), "bcc": ("Bcc", .addresses),
        "replyTo": ("Reply-To", .addresses), "subject": ("Subject", .text), "sentAt": ("Date", .date),
    ]

    static func fields(_ key: String, _ value: JSONValue) throws(SetError) -> [DraftHeader] {
        if let (field, form) = convenience[key] { return [try one(field, form, value, key)] }
        guard let property = HeaderProperty(key) else { throw .invalidProperty(key, "cannot be set") }
        guard property.isAll else { return [try one(property.field, property.form, value, key)] }
        guard let values = value.arrayValue else { throw .invalidProperty(key, "must be an array") }
        var fields: [DraftHeader] = []
        for value in values { fields.append(try one(property.field, property.form, value, key)) }
        return fields
    }

    /// The properties of an email that set the field that cannot be written; those of its body otherwise.
    static func names(of error: BuildError, in object: [String: JSONValue]) -> [String] {
        let field: String
        switch error {
        case .forbiddenCharacter(let name), .lineTooLong(let name), .fieldIsMade(let name),
            .duplicateField(let name), .invalidFieldName(let name):
            field = name.lowercased()
        case .invalidType, .wrongContent, .tooDeep: field = ""
        }
        let names = object.keys.filter { key in
            (convenience[key]?.field ?? HeaderProperty(key)?.field)?.lowercased() == field
        }
        let body = ["bodyStructure", "textBody", "htmlBody", "attachments"].filter { object[$0] != nil }
        return names.isEmpty ? body : names.sorted()
    }

    private static func one(
        _ field: String, _ form: HeaderForm, _ value: JSONValue, _ key: String
    ) throws(SetError) -> DraftHeader {
        guard let value = HeaderValue(form, value) else {
            throw .invalidProperty(key, "does not have the required form")
        }
        return DraftHeader(field, value)
    }
}

extension HeaderValue {
    /// Nil if the JSON is not of this form.
    init?(_ form: HeaderForm, _ json: JSONValue) {
        func strings() -> [String]? {
            guard let array = json.arrayValue else { return nil }
            let strings = array.compactMap(\.stringValue)
            return strings.count == array.count ? strings : nil
        }
        switch form {
        case .raw:
            guard let text = json.stringValue else { return nil }
            self = .raw(text)
        case .text:
            guard let text = json.stringValue else { return nil }
            self = .text(text)
        case .addresses:
            guard let addresses = [EmailAddress](json: json) else { return nil }
            self = .addresses(addresses)
        case .groupedAddresses:
            guard let groups = json.arrayValue else { return nil }
            var read: [EmailAddressGroup] = []
            for group in groups {
                guard let addresses = group["addresses"].flatMap({ [EmailAddress](json: $0) }) else {
                    return nil
                }
                read.append(EmailAddressGroup(name: group["name"]?.stringValue, addresses: addresses))
            }
            self = .groupedAddresses(read)
        case .messageIDs:
            guard let ids = strings() else { return nil }
            self = .messageIDs(ids)
        case .date:
            guard let date = json.stringValue.flatMap(JMAPDate.read) else { return nil }
            self = .date(date)
        case .urls:
            guard let urls = strings() else { return nil }
            self = .urls(urls)
        }
    }
}
