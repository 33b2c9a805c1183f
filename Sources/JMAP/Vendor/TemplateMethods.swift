import Compose
import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

extension RecordType {
    static let template = RecordType(
        "Template", .preferences, of: .program, .stored(MessageTemplates.dataType),
        ["id", "name", "subject", "html"])
}

extension Method {
    /// Texts that the user writes again and again.
    static let templates: [Method] = [
        .get(.template) { context, _, _ async throws(MethodError) in
            let templates = MessageTemplates(store: context.kernel.store)
            return try await context.reading { _ throws(StorageError) in try await templates.all() }
                .map { ($0.id, $0.json) }
        },
        .changes(of: .template),
        .set(.template, with: TemplateSetter()),
        Method(.template, "fill", TemplateSetter.fill),
    ]
}

extension MessageTemplate {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id), "name": .string(name), "subject": subject.map { .string($0) } ?? .null,
            "html": .string(html),
        ]
    }

    fileprivate func patched(_ patch: [String: JSONValue]) throws(SetError) -> MessageTemplate {
        var template = self
        let object = try Patch.apply(patch, to: json)
        for key in patch.keys.sorted() {
            let value = object[key] ?? .null
            switch key {
            case "name": template.name = try Self.line(value, key)
            case "subject": template.subject = value == .null ? nil : try Self.line(value, key)
            case "html":
                guard let html = value.stringValue, html.utf8.count <= 300_000 else {
                    throw .invalidProperty(key, "must be a string of at most 300,000 bytes")
                }
                template.html = ComposedHTML(html).html
            default:
                guard json[key] == value else { throw .invalidProperty(key, "cannot be changed") }
            }
        }
        return template
    }

    private static func line(_ value: JSONValue, _ key: String) throws(SetError) -> String {
        guard let text = value.stringValue, (1...500).contains(text.utf8.count),
            !text.contains(where: \.isNewline)
        else { throw .invalidProperty(key, "must be one line of at most 500 bytes") }
        return text
    }
}

private struct TemplateSetter: RecordSetter {
    private static let most = 500

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        guard object["name"] ?? .null != .null else { throw .invalidProperty("name", "is missing") }
        let id = "T" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let template = try MessageTemplate(id: id, name: "").patched(object)
        let templates = MessageTemplates(store: context.kernel.store)
        let count = try await SetError.wrapping { try await templates.all().count }
        guard count < Self.most else {
            throw SetError("overQuota", "There can be at most \(Self.most) templates.")
        }
        try await SetError.wrapping { try await templates.put(template) }
        return (id, template.json.filter { object[$0.key] != $0.value })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let templates = MessageTemplates(store: context.kernel.store)
        guard let old = try await SetError.wrapping({ try await templates.template(id) }) else {
            throw .notFound
        }
        let template = try old.patched(patch)
        try await SetError.wrapping { try await templates.put(template) }
        let cleaned = template.json.filter { patch[$0.key] != nil && patch[$0.key] != $0.value }
        return cleaned.isEmpty ? .null : .object(cleaned)
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let templates = MessageTemplates(store: context.kernel.store)
        guard try await SetError.wrapping({ try await templates.template(id) }) != nil else {
            throw .notFound
        }
        try await SetError.wrapping { try await templates.remove(id) }
    }

    /// A template with its placeholders filled. Nothing is saved.
    @Sendable static func fill(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try arguments.required(try arguments.string("id"), "id")
        let subject = try arguments.string("subject") ?? ""
        let to = try arguments.array("to") ?? []
        try arguments.finish()
        guard let recipients = [EmailAddress](json: .array(to)) else {
            throw .invalidArguments("to", "must be an array of addresses")
        }
        let id = context.resolved(asked) ?? asked
        let templates = MessageTemplates(store: context.kernel.store)
        let found = try await context.reading { _ throws(StorageError) in try await templates.template(id) }
        guard let template = found else { throw .invalidArguments("id", "is not a template") }
        let values = Placeholders(
            to: recipients.first, subject: subject.isEmpty ? template.subject ?? "" : subject,
            at: context.kernel.clock.now)
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "subject": template.subject.map { .string(values.filled($0)) } ?? .null,
            "html": .string(values.filled(html: template.html)),
        ]
    }
}
