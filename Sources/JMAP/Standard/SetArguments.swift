import MailKernelAPI

/// The arguments that every `/set` has (RFC 8620, section 5.3).
struct SetArguments {
    var ifInState: State?
    /// In the order of their creation ids, so that the same request does the same each time.
    var create: [(creationID: String, object: [String: JSONValue])]
    /// As named by the client: an id may refer to an object that is created first.
    private let update: [(id: String, patch: [String: JSONValue])]
    private let destroy: [String]

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        try context.requireWriting()
        ifInState = try arguments.name("ifInState").map { State(rawValue: $0) }
        create = try Self.objects("create", &arguments).map { ($0.key, $0.object) }
        if let id = create.map(\.creationID).first(where: { !Id<Any>($0).isValid }) {
            throw .invalidArguments(
                "create", "contains the invalid creation id “\(ExactName.restored(id).prefix(60))”")
        }
        update = try Self.objects("update", &arguments).map { ($0.key, $0.object) }
        destroy = try arguments.ids("destroy") ?? []
        guard create.count + update.count + destroy.count <= context.limits.maxObjectsInSet else {
            throw MethodError(
                "requestTooLarge", "At most \(context.limits.maxObjectsInSet) objects at a time.")
        }
    }

    /// The updates by the ids that the records have now.
    func updates(_ context: RequestContext) -> [(id: String, patch: [String: JSONValue])] {
        update.map { (context.resolved($0.id) ?? $0.id, $0.patch) }
    }

    /// The records to destroy, by their current ids, each once.
    func destroys(_ context: RequestContext) -> [String] {
        var seen: Set<String> = []
        return destroy.map { context.resolved($0) ?? $0 }.filter { seen.insert($0).inserted }
    }

    private static func objects(
        _ name: String, _ arguments: inout Arguments
    ) throws(MethodError) -> [(key: String, object: [String: JSONValue])] {
        var objects: [(key: String, object: [String: JSONValue])] = []
        for (key, value) in try arguments.object(name) ?? [:] {
            guard let object = value.objectValue else {
                throw .invalidArguments(name, "must contain an object for “\(key.prefix(60))”")
            }
            objects.append((key, object))
        }
        return objects.sorted { $0.key < $1.key }
    }
}

/// The answer of a `/set` as it grows.
struct SetAnswer {
    var created: [String: JSONValue] = [:]
    var updated: [String: JSONValue] = [:]
    var destroyed: [String] = []
    var notCreated: [String: SetError] = [:]
    var notUpdated: [String: SetError] = [:]
    var notDestroyed: [String: SetError] = [:]

    func json(in accountID: Id<Account>, oldState: String, newState: String) -> [String: JSONValue] {
        [
            "accountId": .string(accountID.rawValue),
            "oldState": .string(oldState),
            "newState": .string(newState),
            "created": created.isEmpty ? .null : .object(created),
            "updated": updated.isEmpty ? .null : .object(updated),
            "destroyed": destroyed.isEmpty ? .null : .array(destroyed.map { .string($0) }),
            "notCreated": Self.json(notCreated),
            "notUpdated": Self.json(notUpdated),
            "notDestroyed": Self.json(notDestroyed),
        ]
    }

    private static func json(_ errors: [String: SetError]) -> JSONValue {
        errors.isEmpty ? .null : .object(errors.mapValues(\.json))
    }
}

/// `PatchObject` (RFC 8620, section 5.3).
enum Patch {
    private static let maxPaths = 1000
    private static let maxPathBytes = 1000
    private static let maxTokens = 8

    /// The object with the patch applied, each path checked.
    static func apply(
        _ patch: [String: JSONValue], to object: [String: JSONValue]
    ) throws(SetError) -> [String: JSONValue] {
        guard patch.count <= maxPaths else {
            throw SetError("invalidPatch", "A patch can have at most \(maxPaths) paths.")
        }
        let paths = patch.keys.sorted()
        for path in paths {
            guard path.utf8.count <= maxPathBytes,
                path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < maxTokens
            else { throw SetError("invalidPatch", "“\(path.prefix(100))…” is too long.") }
            for (index, character) in path.enumerated() where character == "/" {
                guard patch[String(path.prefix(index))] == nil else {
                    throw SetError(
                        "invalidPatch", "“\(path.prefix(100))” and one of its parents are both changed.")
                }
            }
        }
        var patched = JSONValue.object(object)
        for path in paths {
            let tokens = path.split(separator: "/", omittingEmptySubsequences: false).map {
                String($0).replacing("~1", with: "/").replacing("~0", with: "~")
            }
            guard hasOnlyEscapes(path) else {
                throw SetError("invalidPatch", "“\(path.prefix(100))” contains an invalid “~” escape.")
            }
            guard let value = patch[path], let changed = set(value, at: tokens[...], in: patched) else {
                throw SetError("invalidPatch", "“\(path.prefix(100))” does not exist.")
            }
            patched = changed
        }
        return patched.objectValue ?? object
    }

    /// The only escapes are `~0` and `~1` (RFC 6901, section 3).
    private static func hasOnlyEscapes(_ path: String) -> Bool {
        path.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
            .allSatisfy { $0.hasPrefix("0") || $0.hasPrefix("1") }
    }

    private static func set(_ value: JSONValue, at path: ArraySlice<String>, in json: JSONValue) -> JSONValue?
    {
        guard var object = json.objectValue, let token = path.first else { return nil }
        if path.count == 1 {
            // At the top level, null means the default value, which the reader of the object knows.
            object[token] = value
        } else {
            guard let inner = object[token], let changed = set(value, at: path.dropFirst(), in: inner) else {
                return nil
            }
            object[token] = changed
        }
        return .object(object)
    }
}
