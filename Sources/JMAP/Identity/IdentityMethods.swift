import Kernel
import MailKernelAPI
import Store

extension RecordType {
    static let identity = RecordType(
        "Identity", .submission, of: .sender, .stored(.identity),
        ["id", "name", "email", "replyTo", "bcc", "textSignature", "htmlSignature", "mayDelete"])
}

extension Method {
    /// RFC 8621, section 6.
    static let identity: [Method] = [
        .get(.identity) { context, accountID, asked async throws(MethodError) in
            let identities = try await context.reading { store throws(StorageError) in
                try await store.identities(asked.ids(of: Identity.self), in: accountID)
            }
            return identities.map { ($0.id.rawValue, $0.json) }
        },
        .changes(of: .identity),
        .set(.identity, with: IdentitySetter()),
    ]
}

private struct IdentitySetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let store = context.kernel.store
        let known = try await SetError.wrapping { try await store.read.identities(nil, in: accountID) }
        let identity = try Self.created(object, accountID, known)
        try await SetError.wrapping { try await store.commit([.putIdentity(identity)]) }
        return (identity.id.rawValue, identity.json.filter { object[$0.key] == nil })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        try await Self.update(Id(id), patch, in: accountID, context.kernel.store)
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let store = context.kernel.store
        let identity = try await Self.stored(Id(id), in: accountID, store)
        guard identity.mayDelete else { throw SetError("forbidden", "The account needs this identity.") }
        try await SetError.wrapping { try await store.commit([.destroyIdentity(identity.id, in: accountID)]) }
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
        _ object: [String: JSONValue], _ accountID: Id<Account>, _ known: [Identity]
    ) throws(SetError) -> Identity {
        guard let email = object["email"]?.stringValue else { throw .invalidProperty("email", "is missing") }
        guard known.contains(where: { $0.email.lowercased() == email.lowercased() }) else {
            throw SetError("forbiddenFrom", "This account may not send from that address.")
        }
        var rest = object
        rest["email"] = nil
        let id = Id<Identity>("I" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        return try Identity(id: id, accountID: accountID, name: "", email: email, mayDelete: true).patched(
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
            case "name":
                let name = try Self.text(value, key)
                guard name.utf8.count <= 255, !name.unicodeScalars.contains(where: \.isControl) else {
                    throw .invalidProperty(key, "must be one line of at most 255 bytes")
                }
                identity.name = name
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

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
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
