import MailKernelAPI
import MessageFormat

extension EmailProperties {
    /// An Email object of the store.
    func json(of stored: StoredEmail, body: EmailBody?) -> [String: JSONValue] {
        let email = stored.email
        var object: [String: JSONValue] = ["id": .string(email.id.rawValue)]
        func set(_ name: String, _ value: @autoclosure () -> JSONValue) {
            if names.contains(name) { object[name] = value() }
        }
        set("blobId", .string(email.blobID.rawValue))
        set("threadId", .string(stored.threadID.rawValue))
        set("mailboxIds", Self.set(of: email.mailboxIDs.map(\.rawValue)))
        set("keywords", Self.set(of: email.keywords.map(\.rawValue)))
        set("size", .number(Double(email.size)))
        set("receivedAt", .string(JMAPDate.write(email.receivedAt)))
        set("hasAttachment", .bool(email.hasAttachment))
        set("preview", .string(email.preview))
        addHeader(email.header, body?.headers, to: &object)
        if let body { addBody(body, to: &object) }
        return object
    }

    /// An Email object of a message that is only looked at: it has no place in the store.
    func json(of parsed: ParsedMessage, blobID: Id<Blob>, size: Int) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for name in names where Self.metadata.contains(name) { object[name] = .null }
        if names.contains("blobId") { object["blobId"] = .string(blobID.rawValue) }
        if names.contains("size") { object["size"] = .number(Double(size)) }
        if names.contains("hasAttachment") { object["hasAttachment"] = .bool(parsed.hasAttachment) }
        if names.contains("preview") { object["preview"] = .string(parsed.preview) }
        addHeader(parsed.header, parsed.body.headers, to: &object)
        addBody(parsed.body, to: &object)
        return object
    }

    private static func set(of names: [String]) -> JSONValue {
        .object(Dictionary(names.map { ($0, .bool(true)) }) { first, _ in first })
    }

    private func addHeader(
        _ header: EmailHeader, _ fields: [HeaderField]?, to object: inout [String: JSONValue]
    ) {
        if names.contains("addressWarnings") { object["addressWarnings"] = Self.warnings(in: header) }
        func ids(_ list: [String]) -> JSONValue { list.isEmpty ? .null : .array(list.map { .string($0) }) }
        for name in names where Self.headers.contains(name) {
            object[name] =
                switch name {
                case "messageId": ids(header.messageID)
                case "inReplyTo": ids(header.inReplyTo)
                case "references": ids(header.references)
                case "sender": header.sender.jsonOrNull
                case "from": header.from.jsonOrNull
                case "to": header.to.jsonOrNull
                case "cc": header.cc.jsonOrNull
                case "bcc": header.bcc.jsonOrNull
                case "replyTo": header.replyTo.jsonOrNull
                case "subject": header.subject.map { .string($0) } ?? .null
                default: Self.sentAt(header, fields)
                }
        }
    }

    /// As the sender's clock showed it: the offset is kept in the field alone.
    private static func sentAt(_ header: EmailHeader, _ fields: [HeaderField]?) -> JSONValue {
        guard let date = header.sentAt else { return .null }
        let written = fields?.last { ExactName.field($0.name) == "date" }
        guard let written, case .date(let same?) = HeaderForm.date.value(of: written.value), same.date == date
        else { return .string(JMAPDate.write(date)) }
        return .string(JMAPDate.write(date, offset: same.offset))
    }

    /// Warnings about addresses, keyed by the address in this object. The first of equal ones is enough.
    private static func warnings(in header: EmailHeader) -> JSONValue {
        let addresses = header.from.prefix(10) + header.sender.prefix(1) + header.replyTo.prefix(10)
        let looks = (addresses + header.to.prefix(20) + header.cc.prefix(20)).map(\.look)
        let warnings = looks.compactMap { look in look.warning.map { (look.email, JSONValue.string($0)) } }
        let more = header.severalSenders.map { [($0.email, JSONValue.string($0.warning))] } ?? []
        return .object(Dictionary(warnings + more) { first, _ in first })
    }

    private func addBody(_ body: EmailBody, to object: inout [String: JSONValue]) {
        for property in headerProperties { object[property.property] = property.value(in: body.headers) }
        if names.contains("headers") { object["headers"] = body.headers.json }
        guard !names.isDisjoint(with: Self.body) else { return }
        let parts = BodyParts.split(body.structure)
        if names.contains("bodyStructure") {
            object["bodyStructure"] = .object(json(of: body.structure, deep: true))
        }
        if names.contains("textBody") { object["textBody"] = json(of: parts.textBody) }
        if names.contains("htmlBody") { object["htmlBody"] = json(of: parts.htmlBody) }
        if names.contains("attachments") { object["attachments"] = json(of: parts.attachments) }
        if names.contains("bodyValues") { object["bodyValues"] = values(of: body, parts) }
    }

    private func values(of body: EmailBody, _ parts: BodyParts) -> JSONValue {
        var wanted: [EmailBodyPart] = []
        if fetchesText || fetchesAll { wanted += parts.textBody }
        if fetchesHTML || fetchesAll { wanted += parts.htmlBody }
        if fetchesAll { wanted += body.structure.all }
        let texts = wanted.filter { $0.type.hasPrefix("text/") }
        return .object(
            body.values(of: texts, maxBytes: maxBodyValueBytes).mapValues { value in
                [
                    "value": .string(value.value), "isEncodingProblem": .bool(value.isEncodingProblem),
                    "isTruncated": .bool(value.isTruncated),
                ]
            })
    }

    private func json(of parts: [EmailBodyPart]) -> JSONValue {
        .array(parts.map { .object(json(of: $0, deep: false)) })
    }

    private func json(of part: EmailBodyPart, deep: Bool) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        for name in partNames {
            object[name] =
                switch name {
                case "partId": text(part.partID)
                case "blobId": text(part.blobID?.rawValue)
                case "size": .number(Double(part.size))
                case "headers": part.headers.json
                case "name": text(part.name)
                case "type": .string(part.type)
                case "charset": text(part.charset)
                case "disposition": text(part.disposition)
                case "cid": text(part.cid)
                case "language": part.language.isEmpty ? .null : .array(part.language.map { .string($0) })
                case "location": text(part.location)
                default: .null
                }
        }
        for property in partHeaderProperties { object[property.property] = property.value(in: part.headers) }
        // A structure without its parts says nothing, so they are always there.
        if deep && part.type.hasPrefix("multipart/") {
            object["subParts"] = .array(part.subParts.map { .object(json(of: $0, deep: true)) })
        } else if partNames.contains("subParts") {
            object["subParts"] = .null
        }
        return object
    }
}

extension [HeaderField] {
    fileprivate var json: JSONValue {
        .array(map { ["name": .string($0.name), "value": .string($0.value)] })
    }
}
