import Kernel
import MailKernelAPI

extension RecordType {
    /// Its properties are those that `EmailProperties` reads.
    static let email = RecordType("Email", .mail, .stored(.email))
    static let emailDelivery = RecordType("EmailDelivery", .mail, .announced(.emailDelivery))
}

extension Method {
    /// RFC 8621, sections 4 and 5.
    static let email: [Method] = [
        Method(.email, "get", EmailMethods.get),
        .changes(of: .email),
        Method(.email, "query", EmailQueryMethods.query),
        Method(.email, "queryChanges", EmailQueryMethods.queryChanges),
        Method(.email, "set", EmailSetMethods.set),
        Method(.email, "copy", EmailTransferMethods.copy),
        Method(.email, "import", EmailTransferMethods.importEmails),
        Method(.email, "parse", EmailTransferMethods.parse),
        Method("SearchSnippet/get", .mail, EmailMethods.snippets),
    ]
}

enum EmailMethods {
    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let properties = try EmailProperties(&arguments)
        var ids = try arguments.ids("ids").map { ids in ids.map { context.resolved($0) ?? $0 } }
        try arguments.finish()
        let limit = context.limits.maxObjectsInGet
        if ids == nil { ids = try await allIDs(context, account.id, limit: limit) }
        guard let ids, ids.count <= limit else {
            throw MethodError("requestTooLarge", "At most \(limit) emails at a time.")
        }
        let state = try await context.state(of: .email, in: account.id)
        let emails = try await context.reading { store throws(StorageError) in
            try await store.emails(ids.map { Id($0) }, in: account.id)
        }
        var list: [JSONValue] = []
        var found: Set<String> = []
        var budget = context.budget
        for stored in emails {
            var body: EmailBody?
            if properties.needsBody {
                body = try await context.reading { store throws(StorageError) in
                    try await store.body(of: stored.email.id, in: account.id)
                }
                // Destroyed since the first look.
                if body == nil { continue }
            }
            let object = JSONValue.object(properties.json(of: stored, body: body))
            // Whole bodies are long: it ends before all are in memory.
            try budget.take(object)
            list.append(object)
            found.insert(stored.email.id.rawValue)
        }
        return [
            "accountId": .string(account.id.rawValue), "state": .string(state.rawValue), "list": .array(list),
            "notFound": .array(ids.filter { !found.contains($0) }.map { .string(ExactName.restored($0)) }),
        ]
    }

    private static func allIDs(
        _ context: RequestContext, _ account: Id<Account>, limit: Int
    ) async throws(MethodError) -> [String] {
        try await context.reading { store throws(StorageError) in
            try await store.queryEmails(EmailQuery(in: [account], limit: limit + 1)).hits.map(
                \.emailID.rawValue)
        }
    }

    @Sendable static func snippets(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        var filter = EmailFilter.and([])
        if let object = try arguments.object("filter") {
            let read = try await EmailFilterReader.read(object, context, in: account.id)
            filter = read.stored(passing: Set(read.tests))
        }
        let ids = try arguments.required(try arguments.ids("emailIds"), "emailIds")
        try arguments.finish()
        guard ids.count <= context.limits.maxObjectsInGet else {
            throw MethodError(
                "requestTooLarge", "At most \(context.limits.maxObjectsInGet) emails at a time.")
        }
        let wanted = filter
        let snippets = try await context.reading { store throws(StorageError) in
            try await store.snippets(for: wanted, emailIDs: ids.map { Id($0) }, in: account.id)
        }
        let found = Set(snippets.map(\.emailID.rawValue))
        let missing = ids.filter { !found.contains($0) }
        return [
            "accountId": .string(account.id.rawValue),
            "list": .array(
                snippets.map { snippet in
                    [
                        "emailId": .string(snippet.emailID.rawValue),
                        "subject": snippet.subject.map { .string($0) } ?? .null,
                        "preview": snippet.preview.map { .string($0) } ?? .null,
                    ]
                }),
            "notFound": missing.isEmpty ? .null : .array(missing.map { .string(ExactName.restored($0)) }),
        ]
    }
}
