import MailKernelAPI

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

    /// The requested ids as ids of a kind; nil for all records.
    func ids<Of>(of kind: Of.Type) -> [Id<Of>]? { ids.map { $0.map { Id($0) } } }

    /// The response: those of the records that were requested, with the requested properties.
    ///
    /// - Throws: `requestTooLarge` if all records were requested and there are too many.
    func answer(in accountID: Id<Account>, state: String, _ records: [Record]) throws(MethodError)
        -> [String: JSONValue]
    {
        let wanted = ids.map { Set($0) }
        let records = records.filter { wanted?.contains($0.id) ?? true }
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

/// A record as clients see it.
typealias Record = (id: String, object: [String: JSONValue])

extension RequestContext {
    /// `Foo/get` (RFC 8620, section 5.1).
    ///
    /// - Parameter records: the requested records; others among them are left out of the answer.
    mutating func get(
        _ type: RecordType, _ arguments: inout Arguments,
        _ records: (inout RequestContext, Id<Account>, GetArguments) async throws(MethodError) -> [Record]
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await account(for: type, &arguments)
        let asked = try GetArguments(&arguments, self, properties: type.properties)
        try arguments.finish()
        return try await get(type, in: accountID, asked, records)
    }

    /// The same where a type has arguments of its own.
    mutating func get(
        _ type: RecordType, in accountID: Id<Account>, _ asked: GetArguments,
        _ records: (inout RequestContext, Id<Account>, GetArguments) async throws(MethodError) -> [Record]
    ) async throws(MethodError) -> [String: JSONValue] {
        // The state comes first: what changes afterwards is told again.
        let state = try await state(of: type, in: accountID)
        return try asked.answer(
            in: accountID, state: state.rawValue, try await records(&self, accountID, asked))
    }

    /// `Foo/changes` (RFC 8620, section 5.2), and what it is made from.
    mutating func changes(
        of type: RecordType, _ arguments: inout Arguments
    ) async throws(MethodError) -> (answer: [String: JSONValue], changes: Changes) {
        let accountID = try await account(for: type, &arguments)
        let since = State(rawValue: try arguments.required(try arguments.name("sinceState"), "sinceState"))
        let limit = try arguments.unsignedInt("maxChanges")
        if limit == 0 { throw .invalidArguments("maxChanges", "must be greater than 0") }
        try arguments.finish()
        guard case .stored(let dataType) = type.states else { throw .unknownMethod }
        let changes = try await reading { store throws(StorageError) in
            try await store.changes(
                of: dataType, in: type.owner == .program ? nil : accountID, since: since,
                limit: min(limit ?? 5000, 5000))
        }
        return (
            [
                "accountId": .string(accountID.rawValue),
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
