import Compose
import Kernel
import MailKernelAPI
import MessageFormat
import Store

extension RecordType {
    static let identity = RecordType(
        "Identity", .submission, of: .sender, .stored(.identity),
        [
            "id", "name", "email", "replyTo", "bcc", "textSignature", "htmlSignature", "replySignature",
            "mayDelete",
        ])
}

extension Method {
    /// RFC 8621, section 6.
    static let identity: [Method] = [
        .get(.identity) { context, accountID, asked async throws(MethodError) in
            let identities = try await context.reading { store throws(StorageError) in
                try await store.identities(asked.ids(of: Identity.self), in: accountID)
            }
            let signatures = Signatures(store: context.kernel.store)
            let replies = try await context.reading { _ throws(StorageError) in
                try await signatures.forReplies(in: accountID)
            }
            return identities.map { ($0.id.rawValue, IdentityRecord($0, replies[$0.id]).json) }
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
        let record = try Self.created(object, accountID)
        try await SetError.wrapping { try await store.commit(record.changes) }
        return (record.identity.id.rawValue, record.json.filter { object[$0.key] != $0.value })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let record = try await Self.update(Id(id), patch, in: accountID, context.kernel.store)
        let cleaned = record.json.filter { patch[$0.key] != nil && patch[$0.key] != $0.value }
        return cleaned.isEmpty ? .null : .object(cleaned)
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let store = context.kernel.store
        let identity = try await Self.stored(Id(id), in: accountID, store)
        guard identity.mayDelete else { throw SetError("forbidden", "The account needs this identity.") }
        try await SetError.wrapping {
            try await store.commit([
                .destroyIdentity(identity.id, in: accountID), Signatures.change(nil, of: identity),
            ])
        }
    }

    /// Keeps what another client changes at the same time, and does not bring back an identity that it destroyed.
    private static func update(
        _ id: Id<Identity>, _ patch: [String: JSONValue], in accountID: Id<Account>, _ store: MailStore
    ) async throws(SetError) -> IdentityRecord {
        try await SetError.again { () async throws(SetError) in
            let state = try await SetError.wrapping {
                try await store.read.state(of: .identity, in: accountID)
            }
            let identity = try await stored(id, in: accountID, store)
            let replies = try await SetError.wrapping {
                try await Signatures(store: store).forReplies(in: accountID)
            }
            let changed = try IdentityRecord(identity, replies[id]).patched(patch)
            try await SetError.wrapping {
                try await store.commit(
                    changed.changes,
                    preconditions: [ChangeSet.Precondition(.identity, in: accountID, is: state)])
            }
            return changed
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

    /// Another sender. Whether the account may send from its address is known to the server alone, which says so when a
    /// message is sent.
    private static func created(
        _ object: [String: JSONValue], _ accountID: Id<Account>
    ) throws(SetError) -> IdentityRecord {
        guard let email = object["email"]?.stringValue else { throw .invalidProperty("email", "is missing") }
        if let problem = AddressReader.problem(with: email) {
            throw .invalidProperty("email", "is not an address: \(problem.reason)")
        }
        var rest = object
        rest["email"] = nil
        let id = Id<Identity>("I" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        let identity = Identity(id: id, accountID: accountID, name: "", email: email, mayDelete: true)
        return try IdentityRecord(identity, nil).patched(rest)
    }
}
