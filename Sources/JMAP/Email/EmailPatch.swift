import Kernel
import MailKernelAPI

/// A `PatchObject` of an email: of all that it has, keywords and mailboxes can change. The rest may be given as it is,
/// so that a whole object can be sent back.
struct EmailPatch {
    private let stored: StoredEmail
    private let mailboxes: MailboxChoice
    private let context: RequestContext

    private var email: Email { stored.email }

    init(_ stored: StoredEmail, _ mailboxes: MailboxChoice, _ context: RequestContext) {
        self.stored = stored
        self.mailboxes = mailboxes
        self.context = context
    }

    func update(_ asked: [String: JSONValue]) async throws(SetError) -> EmailUpdate {
        let patch = try resolved(asked)
        var current: [String: JSONValue] = [
            "keywords": Self.set(of: email.keywords.map(\.rawValue)),
            "mailboxIds": Self.set(of: email.mailboxIDs.map(\.rawValue)),
        ]
        let others = Set(patch.keys.map(Self.property)).subtracting(current.keys).sorted()
        if !others.isEmpty { current.merge(try await fixed(others)) { mine, _ in mine } }
        let object = try Patch.apply(patch, to: current)
        let differing = others.filter { !(object[$0] ?? .null).isAsIn(current[$0]) }
        guard differing.isEmpty else {
            throw SetError(
                "invalidProperties", "Only the keywords and mailboxes of an email can be changed.",
                properties: differing.map(ExactName.restored))
        }
        let keywords = try MailboxChoice.keywords(withoutRemoved("keywords", of: object, patch))
        let wanted = withoutRemoved("mailboxIds", of: object, patch)
        let ids = wanted == current["mailboxIds"] ? email.mailboxIDs : try mailboxes.read(wanted)
        let update = EmailUpdate(email, keywords: keywords, mailboxIDs: ids)
        try mailboxes.check(update, of: email)
        return update
    }

    private static func set(of names: [String]) -> JSONValue {
        .object(Dictionary(names.map { ($0, .bool(true)) }) { first, _ in first })
    }

    private static func property(_ path: String) -> String {
        String(path.split(separator: "/", omittingEmptySubsequences: false)[0])
    }

    /// The paths as they are meant: keywords in lower case, mailboxes by their ids.
    private func resolved(_ patch: [String: JSONValue]) throws(SetError) -> [String: JSONValue] {
        var resolved: [String: JSONValue] = [:]
        for (path, value) in patch {
            var path = path
            if path.hasPrefix("keywords/") { path = path.lowercased() }
            if path.hasPrefix("mailboxIds/#"), let id = context.resolved(String(path.dropFirst(11))) {
                path = "mailboxIds/" + id
            }
            guard resolved.updateValue(value, forKey: path) == nil else {
                throw SetError("invalidPatch", "Two paths change “\(path.prefix(100))”.")
            }
        }
        return resolved
    }

    /// A path that is set to null is removed.
    private func withoutRemoved(
        _ name: String, of object: [String: JSONValue], _ patch: [String: JSONValue]
    ) -> JSONValue? {
        guard patch[name] == nil else { return object[name] }
        return object[name]?.objectValue.map { members in .object(members.filter { $0.value != .null }) }
    }

    /// The read-only properties, as `Email/get` returns them.
    private func fixed(_ names: [String]) async throws(SetError) -> [String: JSONValue] {
        let unknown = names.filter { !EmailProperties.isKnown($0) }
        guard unknown.isEmpty else {
            throw SetError(
                "invalidProperties", "Emails do not have this property.",
                properties: unknown.map(ExactName.restored))
        }
        let properties: EmailProperties
        do {
            properties = try EmailProperties(whole: names)
        } catch {
            throw SetError(error)
        }
        let (store, email) = (context.store, email)
        let body = try await SetError.wrapping { try await store.body(of: email.id, in: email.accountID) }
        return properties.json(of: stored, body: body)
    }
}

extension JSONValue {
    /// Whether the value agrees with `current`, possibly with fewer properties: the properties of parts and
    /// the texts that a client has depend on its requests.
    fileprivate func isAsIn(_ current: JSONValue?) -> Bool {
        switch (self, current) {
        case (.null, nil): true
        case (.object(let members), .object(let all)?): members.allSatisfy { $0.value.isAsIn(all[$0.key]) }
        case (.array(let elements), .array(let all)?):
            elements.count == all.count && zip(elements, all).allSatisfy { $0.isAsIn($1) }
        default: self == current
        }
    }
}
