import Kernel
import MailKernelAPI

/// Reads the filter of `Email/query` and `SearchSnippet/get` (RFC 8621, section 4.4.1).
struct EmailFilterReader {
    /// Deeper than any person or program asks.
    private static let maxDepth = 32

    let context: RequestContext

    func read(_ object: [String: JSONValue], depth: Int = 0) throws(MethodError) -> EmailFilter {
        guard depth < Self.maxDepth else {
            throw MethodError("unsupportedFilter", "The filter is nested more than \(Self.maxDepth) deep.")
        }
        var arguments = Arguments(object)
        if arguments.has("operator") { return try operation(&arguments, depth) }
        var conditions: [EmailFilter] = []
        for key in object.keys.sorted() where arguments.value(key) != nil {
            conditions.append(try condition(key, &arguments))
        }
        return conditions.count == 1 ? conditions[0] : .and(conditions)
    }

    private func operation(_ arguments: inout Arguments, _ depth: Int) throws(MethodError) -> EmailFilter {
        let name = try arguments.string("operator")
        var inner: [EmailFilter] = []
        for condition in try arguments.required(try arguments.array("conditions"), "conditions") {
            guard let object = condition.objectValue else {
                throw .invalidArguments("filter", "has to hold objects in “conditions”")
            }
            inner.append(try read(object, depth: depth + 1))
        }
        try arguments.finish()
        switch name {
        case "AND": return .and(inner)
        case "OR": return .or(inner)
        case "NOT": return .not(inner)
        default: throw .invalidArguments("filter", "has an operator that is not AND, OR or NOT")
        }
    }

    private func condition(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> EmailFilter {
        switch key {
        case "inMailbox": return .inMailbox(mailbox(try text(key, &arguments)))
        case "inMailboxOtherThan":
            return .inMailboxOtherThan((try arguments.strings(key) ?? []).map(mailbox))
        case "before":
            return .before(try arguments.required(try arguments.date(key), key))
        case "after":
            return .after(try arguments.required(try arguments.date(key), key))
        case "minSize": return .minSize(try arguments.unsignedInt(key) ?? 0)
        case "maxSize": return .maxSize(try arguments.unsignedInt(key) ?? 0)
        case "hasKeyword": return .hasKeyword(try keyword(key, &arguments))
        case "notKeyword": return .notKeyword(try keyword(key, &arguments))
        case "allInThreadHaveKeyword": return .allInThreadHaveKeyword(try keyword(key, &arguments))
        case "someInThreadHaveKeyword": return .someInThreadHaveKeyword(try keyword(key, &arguments))
        case "noneInThreadHaveKeyword": return .noneInThreadHaveKeyword(try keyword(key, &arguments))
        case "hasAttachment": return .hasAttachment(try arguments.bool(key))
        case "text": return .text(try text(key, &arguments))
        case "from": return .from(try text(key, &arguments))
        case "to": return .to(try text(key, &arguments))
        case "cc": return .cc(try text(key, &arguments))
        case "bcc": return .bcc(try text(key, &arguments))
        case "subject": return .subject(try text(key, &arguments))
        case "body": return .body(try text(key, &arguments))
        case "header": return try header(&arguments)
        case "category", "inRole": return try vendor(key, &arguments)
        default: throw MethodError("unsupportedFilter", "Emails cannot be filtered by “\(key.prefix(60))”.")
        }
    }

    private func text(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> String {
        try arguments.string(key) ?? ""
    }

    private func mailbox(_ id: String) -> Id<Mailbox> { Id(context.resolved(id) ?? id) }

    private func keyword(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> Keyword {
        Keyword(try text(key, &arguments))
    }

    private func header(_ arguments: inout Arguments) throws(MethodError) -> EmailFilter {
        let parts = try arguments.strings("header") ?? []
        guard (1...2).contains(parts.count) else {
            throw .invalidArguments("header", "has to be a field's name, and perhaps a text that it contains")
        }
        return .header(name: parts[0], value: parts.count > 1 ? parts[1] : nil)
    }

    /// Filters of this program's own, for a unified inbox and its tabs.
    private func vendor(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> EmailFilter {
        let name = try text(key, &arguments)
        if key == "category", let category = EmailCategory(rawValue: name) { return .category(category) }
        if key == "inRole", let role = Mailbox.Role(rawValue: name) { return .inRole(role) }
        throw .invalidArguments(key, "must not be “\(name.prefix(60))”")
    }
}
