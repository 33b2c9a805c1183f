import MailKernelAPI

/// A type of record, as the standard methods need it.
struct RecordType {
    let name: String
    let dataType: DataType
    let properties: [String]

    static let mailbox = RecordType(
        name: "Mailbox", dataType: .mailbox,
        properties: [
            "id", "name", "parentId", "role", "sortOrder", "totalEmails", "unreadEmails", "totalThreads",
            "unreadThreads", "myRights", "isSubscribed",
        ])
    static let thread = RecordType(name: "Thread", dataType: .thread, properties: ["id", "emailIds"])
    static let identity = RecordType(
        name: "Identity", dataType: .identity,
        properties: [
            "id", "name", "email", "replyTo", "bcc", "textSignature", "htmlSignature", "mayDelete",
        ])
    static let submission = RecordType(
        name: "EmailSubmission", dataType: .submission,
        properties: [
            "id", "identityId", "emailId", "threadId", "envelope", "sendAt", "undoStatus", "deliveryStatus",
            "dsnBlobIds", "mdnBlobIds", "sendState", "tries", "nextTryAt", "failure", "isPaused",
            "mayHaveBeenSent",
        ])
}

/// The arguments that every `/get` has (RFC 8620, section 5.1).
struct GetArguments {
    /// Nil for all records.
    var ids: [String]?
    var properties: Set<String>
    private let limit: Int

    init(
        _ arguments: inout Arguments, _ context: RequestContext, properties known: [String]
    ) throws(MethodError) {
        ids = try arguments.ids("ids").map { ids in ids.map { context.resolved($0) ?? $0 } }
        limit = context.limits.maxObjectsInGet
        guard ids?.count ?? 0 <= limit else { throw .tooManyObjects(limit) }
        properties = Set(known)
        if let asked = try arguments.names("properties") {
            if let unknown = asked.first(where: { !properties.contains($0) }) {
                throw .invalidArguments("properties", "contains the unknown property “\(unknown.prefix(60))”")
            }
            properties = Set(asked).union(["id"])
        }
    }

    /// The response: the records, with the requested properties.
    ///
    /// - Throws: `requestTooLarge` if all records were requested and there are too many.
    func answer(
        in accountID: Id<Account>, state: String, _ records: [(id: String, object: [String: JSONValue])]
    ) throws(MethodError) -> [String: JSONValue] {
        guard records.count <= limit else { throw .tooManyObjects(limit) }
        let found = Set(records.map(\.id))
        return [
            "accountId": .string(accountID.rawValue),
            "state": .string(state),
            "list": .array(records.map { .object($0.object.filter { properties.contains($0.key) }) }),
            "notFound": .array(
                (ids ?? []).filter { !found.contains($0) }.map { .string(ExactName.restored($0)) }),
        ]
    }
}

extension RequestContext {
    /// `Foo/changes` (RFC 8620, section 5.2).
    mutating func changes(
        of type: RecordType, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await account(&arguments)
        let (answer, _) = try await changes(of: type.dataType, in: account.id, named: account.id, &arguments)
        return answer
    }

    mutating func changes(
        of type: DataType, in accountID: Id<Account>?, named shownID: Id<Account>,
        _ arguments: inout Arguments
    ) async throws(MethodError) -> ([String: JSONValue], Changes) {
        let since = State(rawValue: try arguments.required(try arguments.name("sinceState"), "sinceState"))
        let limit = try arguments.unsignedInt("maxChanges")
        if limit == 0 { throw .invalidArguments("maxChanges", "must be greater than 0") }
        try arguments.finish()
        let changes = try await reading { store throws(StorageError) in
            try await store.changes(of: type, in: accountID, since: since, limit: min(limit ?? 5000, 5000))
        }
        return (
            [
                "accountId": .string(shownID.rawValue),
                "oldState": .string(since.rawValue),
                "newState": .string(changes.newState.rawValue),
                "hasMoreChanges": .bool(changes.hasMoreChanges),
                "created": .array(changes.created.map { .string($0) }),
                "updated": .array(changes.updated.map { .string($0) }),
                "destroyed": .array(changes.destroyed.map { .string($0) }),
            ], changes
        )
    }
}
