import Kernel
import MailKernelAPI
import Store

extension Method {
    /// RFC 8621, section 6.
    static let identity = [
        Method("Identity/get", .submission, IdentityMethods.get),
        Method("Identity/changes", .submission) { context, arguments async throws(MethodError) in
            let account = try await context.sendingAccount(&arguments)
            return try await context.changes(
                of: .identity, in: account.id, named: account.id, &arguments
            ).0
        },
        Method("Identity/set", .submission, IdentityMethods.set),
    ]
}

enum IdentityMethods {
    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.sendingAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.identity.properties)
        try arguments.finish()
        let state = try await context.state(of: .identity, in: account.id)
        let identities = try await context.reading { store throws(StorageError) in
            try await store.identities(asked.ids.map { $0.map { Id($0) } }, in: account.id)
        }
        return try asked.answer(
            in: account.id, state: state.rawValue, identities.map { ($0.id.rawValue, $0.json) })
    }

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.sendingAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: .identity, in: account.id)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        let known = try await context.reading { store throws(StorageError) in
            try await store.identities(nil, in: account.id)
        }
        let store = context.kernel.store
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let identity = try IdentityMethods.created(object, account, known)
                try await SetError.wrapping { try await store.commit([.putIdentity(identity)]) }
                context.createdIDs[creationID] = identity.id.rawValue
                answer.created[creationID] = .object(identity.json.filter { object[$0.key] == nil })
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                try await update(Id(id), patch, in: account.id, store)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(context) {
            do throws(SetError) {
                let identity = try await stored(Id(id), in: account.id, store)
                guard identity.mayDelete else {
                    throw SetError("forbidden", "The account needs this identity.")
                }
                try await SetError.wrapping {
                    try await store.commit([.destroyIdentity(identity.id, in: account.id)])
                }
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        let newState = try await context.state(of: .identity, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    /// Keeps what another client changes at the same time, and does not bring back an identity that it destroyed.
    private static func update(
        _ id: Id<Identity>, _ patch: [String: JSONValue], in accountID: Id<Account>, _ store: MailStore
    ) async throws(SetError) {
        try await SetError.again { () async throws(SetError) in
            let state = try await SetError.wrapping {
                try await store.read.state(of: .identity, in: accountID)
            }
            let changed = try await stored(id, in: accountID, store).patched(patch)
            try await SetError.wrapping {
                try await store.commit(
                    [.putIdentity(changed)],
                    preconditions: [ChangeSet.Precondition(.identity, in: accountID, is: state)])
            }
        }
    }

    private static func stored(
        _ id: Id<Identity>, in accountID: Id<Account>, _ store: MailStore
    ) async throws(SetError) -> Identity {
        let found = try await SetError.wrapping {
            try await store.read.identities([id], in: accountID).first
        }
        guard let found else { throw .notFound }
        return found
    }

    /// Another name or signature for an address that the account may send from.
    private static func created(
        _ object: [String: JSONValue], _ account: Account, _ known: [Identity]
    ) throws(SetError) -> Identity {
        guard let email = object["email"]?.stringValue else { throw .invalidProperty("email", "is missing") }
        guard known.contains(where: { $0.email.lowercased() == email.lowercased() }) else {
            throw SetError("forbiddenFrom", "This account may not send from that address.")
        }
        var rest = object
        rest["email"] = nil
        let id = Id<Identity>("I" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        return try Identity(id: id, accountID: account.id, name: "", email: email, mayDelete: true).patched(
            rest)
    }
}

extension Identity {
    var json: [String: JSONValue] {
        [
            "id": .string(id.rawValue), "name": .string(name), "email": .string(email),
            "replyTo": replyTo.jsonOrNull, "bcc": bcc.jsonOrNull, "textSignature": .string(textSignature),
            "htmlSignature": .string(htmlSignature), "mayDelete": .bool(mayDelete),
        ]
    }

    fileprivate func patched(_ patch: [String: JSONValue]) throws(SetError) -> Identity {
        var identity = self
        let object = try Patch.apply(patch, to: json)
        for key in patch.keys.sorted() {
            let value = object[key] ?? .null
            switch key {
            case "name": identity.name = try Self.text(value, key)
            case "textSignature": identity.textSignature = try Self.text(value, key)
            case "htmlSignature": identity.htmlSignature = try Self.text(value, key)
            case "replyTo": identity.replyTo = try Self.addresses(value, key)
            case "bcc": identity.bcc = try Self.addresses(value, key)
            default:
                guard json[key] == value else { throw .invalidProperty(key, "cannot be changed") }
            }
        }
        return identity
    }

    private static func text(_ value: JSONValue, _ key: String) throws(SetError) -> String {
        if value == .null { return "" }
        guard let text = value.stringValue, text.utf8.count <= 100_000 else {
            throw .invalidProperty(key, "must be a string of at most 100,000 bytes")
        }
        return text
    }

    private static func addresses(_ value: JSONValue, _ key: String) throws(SetError) -> [EmailAddress] {
        guard value != .null else { return [] }
        guard let addresses = [EmailAddress](json: value) else {
            throw .invalidProperty(key, "must be an array of addresses, or null")
        }
        return addresses
    }
}

extension [EmailAddress] {
    /// Nil if it is not an array of EmailAddress objects.
    init?(json: JSONValue) {
        guard let array = json.arrayValue else { return nil }
        self = []
        for element in array {
            guard let object = element.objectValue, let email = object["email"]?.stringValue, !email.isEmpty
            else {
                return nil
            }
            let name = object["name"] ?? .null
            guard name == .null || name.stringValue != nil else { return nil }
            append(EmailAddress(name: name.stringValue, email: email))
        }
    }
}
