import Mail
import MailKernelAPI

/// Creates, changes and destroys one mailbox, seeing the mailboxes as they are by then.
struct MailboxSetter {
    private let context: RequestContext
    private let account: Account
    private let features: AccountFeatures
    private let mailboxes: [StoredMailbox]
    /// The state of `mailboxes`, a precondition of every commit.
    private let state: State

    init(_ context: RequestContext, _ account: Account, _ features: AccountFeatures) async throws(SetError) {
        self.context = context
        self.account = account
        self.features = features
        do {
            state = try await context.store.state(of: .mailbox, in: account.id)
            mailboxes = try await context.store.mailboxes(nil, in: account.id)
        } catch {
            throw SetError(MethodError(error))
        }
    }

    func create(_ object: [String: JSONValue]) async throws(SetError) -> Mailbox {
        guard features.contains(.mailboxChanges) else {
            throw SetError("forbidden", "This account's mailboxes cannot be changed from here.")
        }
        var mailbox = Mailbox(id: Id(""), accountID: account.id, name: "")
        guard object["name"] != nil else { throw .invalidProperty("name", "is missing") }
        try apply(object, to: &mailbox, isNew: true)
        try check(mailbox)
        let kernel = context.kernel
        let (wanted, state) = (mailbox, state)
        return try await SetError.wrapping { try await kernel.mail.createMailbox(wanted, ifInState: state) }
    }

    func update(_ id: Id<Mailbox>, _ patch: [String: JSONValue]) async throws(SetError) {
        let change = try change(of: id, patch)
        if change.isMove { try check(change.new) }
        guard change.new != change.old else { return }
        let (kernel, state) = (context.kernel, state)
        try await SetError.wrapping { try await kernel.mail.updateMailboxes([change], ifInState: state) }
    }

    /// Updates that are possible only all at once.
    ///
    /// - Returns: the ids of those that were carried out; the others stand in the way of something.
    func updateTogether(_ asked: [(id: String, patch: [String: JSONValue])]) async throws(SetError)
        -> [String]
    {
        var changes: [MailboxChange] = []
        for (id, patch) in asked {
            if let change = try? change(of: Id(id), patch) { changes.append(change) }
        }
        var isTried = false
        while !changes.isEmpty, !isTried {
            let new = Dictionary(changes.map { ($0.new.id, $0.new) }) { first, _ in first }
            let final = mailboxes.map { new[$0.mailbox.id] ?? $0.mailbox }
            let valid = changes.filter { (try? check($0.new, among: final)) != nil }
            isTried = valid.count == changes.count
            changes = valid
        }
        guard !changes.isEmpty else { return [] }
        let (kernel, wanted, state) = (context.kernel, changes, state)
        try await SetError.wrapping { try await kernel.mail.updateMailboxes(wanted, ifInState: state) }
        return changes.map(\.new.id.rawValue)
    }

    private func change(
        of id: Id<Mailbox>, _ patch: [String: JSONValue]
    ) throws(SetError) -> MailboxChange {
        guard let stored = mailboxes.first(where: { $0.mailbox.id == id }) else { throw .notFound }
        let old = stored.mailbox
        let patched = try Patch.apply(patch, to: stored.json)
        let named = Set(patch.keys.map { $0.split(separator: "/", omittingEmptySubsequences: false)[0] })
        var mailbox = old
        try apply(patched.filter { named.contains($0.key[...]) }, to: &mailbox, isNew: false)
        let change = MailboxChange(from: old, to: mailbox)
        if change.isMove {
            guard features.contains(.mailboxChanges), old.rights.contains(.rename) else {
                throw SetError("forbidden", "This mailbox cannot be renamed or moved.")
            }
        }
        return change
    }

    func destroy(_ id: Id<Mailbox>, _ removesEmails: Bool) async throws(SetError) {
        guard let stored = mailboxes.first(where: { $0.mailbox.id == id }) else { throw .notFound }
        guard !mailboxes.contains(where: { $0.mailbox.parentID == id }) else {
            throw SetError("mailboxHasChild", "It contains other mailboxes.")
        }
        guard features.contains(.mailboxChanges), stored.mailbox.rights.contains(.delete),
            stored.mailbox.role == nil
        else { throw SetError("forbidden", "This mailbox cannot be deleted.") }
        guard removesEmails || stored.counts.totalEmails == 0 else {
            throw SetError("mailboxHasEmail", "It contains \(stored.counts.totalEmails) messages.")
        }
        let (actions, client, accountID) = (context.kernel.actions, context.client.name, account.id)
        try await SetError.wrapping {
            do {
                try await actions.destroyMailbox(
                    id, in: accountID, evenWithEmails: removesEmails, client: client)
            } catch let error as MailboxNotEmpty {
                throw SetError("mailboxHasEmail", "It contains \(error.count) messages.")
            }
        }
    }

    private func apply(
        _ object: [String: JSONValue], to mailbox: inout Mailbox, isNew: Bool
    ) throws(SetError) {
        let fresh = Mailbox(id: Id(""), accountID: account.id, name: "")
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "name":
                guard let name = value.stringValue else { throw .invalidProperty(key, "must be a string") }
                mailbox.name = name.composed
            case "parentId":
                guard value == .null || value.stringValue != nil else {
                    throw .invalidProperty(key, "must be an id or null")
                }
                mailbox.parentID = try value.stringValue.map { (id) throws(SetError) in
                    guard let resolved = context.resolved(id) else {
                        throw .invalidProperty(key, "is not a mailbox of this account")
                    }
                    return Id(resolved)
                }
            case "sortOrder" where value == .null: mailbox.sortOrder = fresh.sortOrder
            case "isSubscribed" where value == .null: mailbox.isSubscribed = fresh.isSubscribed
            case "sortOrder":
                guard let order = value.intValue, (0..<1 << 31).contains(order) else {
                    throw .invalidProperty(key, "must be a whole number that is not negative")
                }
                mailbox.sortOrder = order
            case "isSubscribed":
                guard let isSubscribed = value.boolValue else {
                    throw .invalidProperty(key, "must be true or false")
                }
                mailbox.isSubscribed = isSubscribed
            case "role" where value == (mailbox.role.map { .string($0.rawValue) } ?? .null): continue
            default:
                if !isNew, let current = mailboxes.first(where: { $0.mailbox.id == mailbox.id })?.json[key],
                    current == value
                {
                    continue
                }
                throw .invalidProperty(key, "cannot be set")
            }
        }
    }

    private func check(_ mailbox: Mailbox) throws(SetError) {
        try check(mailbox, among: mailboxes.map(\.mailbox))
    }

    private func check(_ mailbox: Mailbox, among mailboxes: [Mailbox]) throws(SetError) {
        let name = mailbox.name
        guard !name.isEmpty, name.utf8.count <= MailboxMethods.maxNameBytes, MailboxName.isSound(name)
        else {
            throw .invalidProperty(
                "name",
                "must have 1 to \(MailboxMethods.maxNameBytes) bytes, no control characters, and a visible character"
            )
        }
        guard
            !mailboxes.contains(where: {
                $0.id != mailbox.id && $0.parentID == mailbox.parentID && $0.name == name
            })
        else { throw .invalidProperty("name", "is already used by another mailbox in the same place") }
        let current = self.mailboxes.first { $0.mailbox.id == mailbox.id }?.mailbox
        var parent = mailbox.parentID
        var above: Set<Id<Mailbox>> = []
        while let id = parent {
            guard id != mailbox.id, above.insert(id).inserted else {
                throw .invalidProperty("parentId", "must not be below the mailbox itself")
            }
            guard let next = mailboxes.first(where: { $0.id == id }) else {
                throw .invalidProperty("parentId", "is not a mailbox of this account")
            }
            // A mailbox that keeps its parent needs no right there.
            let isNewPlace = id == mailbox.parentID && id != current?.parentID
            guard !isNewPlace || next.rights.contains(.createChild) else {
                throw SetError("forbidden", "No mailbox can be created in or moved to “\(next.name)”.")
            }
            parent = next.parentID
        }
    }
}
