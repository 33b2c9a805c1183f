import MailKernelAPI

/// A method: its name, the capability it requires, and its implementation.
struct Method: Sendable {
    typealias Body =
        @Sendable (inout RequestContext, inout Arguments) async throws(MethodError) -> [String: JSONValue]

    let name: String
    let capability: Capability
    let run: Body

    /// Whether its answer can be withheld: then it is as if it had not been called.
    var onlyReads: Bool {
        name == "Core/echo"
            || ["/get", "/changes", "/query", "/queryChanges", "/parse", "/complete", "/list", "/lookup"]
                .contains {
                    name.hasSuffix($0)
                }
    }

    init(_ name: String, _ capability: Capability, _ run: @escaping Body) {
        self.name = name
        self.capability = capability
        self.run = run
    }

    /// A method of a type, such as `get`.
    init(_ type: RecordType, _ verb: String, _ run: @escaping Body) {
        self.init(type.name + "/" + verb, type.capability, run)
    }

    static func get(
        _ type: RecordType,
        _ records:
            @escaping @Sendable (inout RequestContext, Id<Account>, GetArguments) async throws(MethodError)
            -> [Record]
    ) -> Method {
        Method(type, "get") { context, arguments async throws(MethodError) in
            try await context.get(type, &arguments, records)
        }
    }

    static func changes(of type: RecordType) -> Method {
        Method(type, "changes") { context, arguments async throws(MethodError) in
            try await context.changes(of: type, &arguments).answer
        }
    }

    /// - Parameter purpose: what the page alone may do; nil where every client that may write may set.
    static func set(
        _ type: RecordType, onlyPage purpose: String? = nil, with setter: some RecordSetter & Sendable
    ) -> Method {
        Method(type, "set") { context, arguments async throws(MethodError) in
            if let purpose { try context.requirePage(purpose) }
            return try await context.set(type, &arguments, with: setter)
        }
    }
}
