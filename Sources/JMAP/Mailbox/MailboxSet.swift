import Kernel
import MailKernelAPI

extension MailboxMethods {
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try SetArguments(&arguments, context)
        let removesEmails = try arguments.bool("onDestroyRemoveEmails")
        try arguments.finish()
        let oldState = try await context.state(of: .mailbox, in: account.id)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        let features = try await context.reading { _ throws(StorageError) in
            try await context.kernel.mail.features(of: account.id)
        }
        var answer = SetAnswer()
        var waiting = asked.create
        // A mailbox may be made below another one of the same call, whatever their order.
        while !waiting.isEmpty {
            let ready = waiting.filter { !$0.object.refersToOther(of: waiting.map(\.creationID)) }
            for (creationID, object) in ready.isEmpty ? waiting : ready {
                do throws(SetError) {
                    let setter = try await MailboxSetter(context, account, features)
                    let mailbox = try await setter.create(object)
                    context.createdIDs[creationID] = mailbox.id.rawValue
                    answer.created[creationID] = .object(
                        StoredMailbox(mailbox: mailbox, counts: MailboxCounts()).json.filter {
                            $0.key != "name" && $0.key != "parentId"
                        })
                } catch {
                    answer.notCreated[creationID] = error
                }
            }
            waiting =
                ready.isEmpty
                ? [] : waiting.filter { one in !ready.contains { $0.creationID == one.creationID } }
        }
        for (id, patch) in asked.update {
            do throws(SetError) {
                try await MailboxSetter(context, account, features).update(Id(id), patch)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        await destroy(asked.destroy, removesEmails, context, account, features, &answer)
        let newState = try await context.state(of: .mailbox, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private static func destroy(
        _ ids: [String], _ removesEmails: Bool, _ context: RequestContext, _ account: Account,
        _ features: AccountFeatures, _ answer: inout SetAnswer
    ) async {
        var waiting = ids
        var isProgress = true
        // A parent and its children may be destroyed in one call, whatever their order.
        while !waiting.isEmpty, isProgress {
            isProgress = false
            for id in waiting {
                do throws(SetError) {
                    try await MailboxSetter(context, account, features).destroy(Id(id), removesEmails)
                    answer.destroyed.append(id)
                    answer.notDestroyed[id] = nil
                    waiting.removeAll { $0 == id }
                    isProgress = true
                } catch {
                    answer.notDestroyed[id] = error
                    if error.type != "mailboxHasChild" { waiting.removeAll { $0 == id } }
                }
            }
        }
    }
}

extension [String: JSONValue] {
    fileprivate func refersToOther(of creationIDs: [String]) -> Bool {
        guard let parent = self["parentId"]?.stringValue, parent.hasPrefix("#") else { return false }
        return creationIDs.contains(String(parent.dropFirst()))
    }
}

/// Creates, changes and destroys one mailbox, seeing the mailboxes as they are by then.
private struct MailboxSetter {
    private let context: RequestContext
    private let account: Account
    private let features: AccountFeatures
    private let mailboxes: [StoredMailbox]

    init(_ context: RequestContext, _ account: Account, _ features: AccountFeatures) async throws(SetError) {
        self.context = context
        self.account = account
        self.features = features
        do {
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
        let wanted = mailbox
        return try await SetError.wrapping { try await kernel.mail.createMailbox(wanted) }
    }

    func update(_ id: Id<Mailbox>, _ patch: [String: JSONValue]) async throws(SetError) {
        guard let stored = mailboxes.first(where: { $0.mailbox.id == id }) else { throw .notFound }
        let old = stored.mailbox
        let patched = try Patch.apply(patch, to: stored.json)
        var mailbox = old
        try apply(patched.filter { patch.keys.contains($0.key) }, to: &mailbox, isNew: false)
        let moves = mailbox.name != old.name || mailbox.parentID != old.parentID
        if moves {
            guard features.contains(.mailboxChanges), old.rights.contains(.rename) else {
                throw SetError("forbidden", "This mailbox cannot be renamed or moved.")
            }
            try check(mailbox)
        }
        guard mailbox != old else { return }
        let kernel = context.kernel
        let wanted = mailbox
        try await SetError.wrapping { try await kernel.mail.updateMailbox(old, to: wanted) }
    }

    func destroy(_ id: Id<Mailbox>, _ removesEmails: Bool) async throws(SetError) {
        guard let stored = mailboxes.first(where: { $0.mailbox.id == id }) else { throw .notFound }
        guard !mailboxes.contains(where: { $0.mailbox.parentID == id }) else {
            throw SetError("mailboxHasChild", "There are mailboxes in it.")
        }
        guard features.contains(.mailboxChanges), stored.mailbox.rights.contains(.delete),
            stored.mailbox.role == nil
        else { throw SetError("forbidden", "This mailbox cannot be deleted.") }
        guard removesEmails || stored.counts.totalEmails == 0 else {
            throw SetError("mailboxHasEmail", "There are \(stored.counts.totalEmails) messages in it.")
        }
        let (kernel, accountID) = (context.kernel, account.id)
        try await SetError.wrapping {
            do {
                try await kernel.mail.destroyMailbox(id, in: accountID, evenWithEmails: removesEmails)
            } catch let error as MailboxNotEmpty {
                throw SetError("mailboxHasEmail", "There are \(error.count) messages in it.")
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
                guard let name = value.stringValue else { throw .invalidProperty(key, "has to be a string") }
                mailbox.name = name
            case "parentId":
                guard value == .null || value.stringValue != nil else {
                    throw .invalidProperty(key, "has to be an id or null")
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
                    throw .invalidProperty(key, "has to be a whole number that is not negative")
                }
                mailbox.sortOrder = order
            case "isSubscribed":
                guard let isSubscribed = value.boolValue else {
                    throw .invalidProperty(key, "has to be true or false")
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
        let name = mailbox.name
        guard !name.isEmpty, name.utf8.count <= MailboxMethods.maxNameBytes,
            !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            throw .invalidProperty(
                "name", "has to have 1 to \(MailboxMethods.maxNameBytes) bytes and no control characters")
        }
        guard
            !mailboxes.contains(where: {
                $0.mailbox.id != mailbox.id && $0.mailbox.parentID == mailbox.parentID
                    && $0.mailbox.name == name
            })
        else { throw .invalidProperty("name", "is taken by another mailbox at the same place") }
        var parent = mailbox.parentID
        while let id = parent {
            guard id != mailbox.id else {
                throw .invalidProperty("parentId", "must not be below the mailbox itself")
            }
            guard let next = mailboxes.first(where: { $0.mailbox.id == id })?.mailbox else {
                throw .invalidProperty("parentId", "is not a mailbox of this account")
            }
            guard id != mailbox.parentID || next.rights.contains(.createChild) else {
                throw SetError("forbidden", "No mailboxes can be made in there.")
            }
            parent = next.parentID
        }
    }
}

extension SetError {
    init(_ error: MethodError) {
        self.init(error.type == "serverUnavailable" ? "serverFail" : error.type, error.description)
    }

    /// Runs an action of the kernel and says its errors as those of one object.
    @discardableResult
    static func wrapping<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(SetError) -> Value {
        do {
            return try await action()
        } catch StorageError.notFound {
            throw .notFound
        } catch StorageError.invalid(let reason) {
            throw SetError("invalidProperties", reason)
        } catch StorageError.full {
            throw SetError("overQuota", StorageError.full.sentence)
        } catch let error as StorageError {
            throw SetError(MethodError(error))
        } catch let error as AccountError {
            throw SetError("serverFail", error.sentence)
        } catch let error as BlobError {
            throw SetError("blobNotFound", error.sentence)
        } catch let error as PreferenceProblem {
            throw .invalidProperty(error.key, error.reason)
        } catch let error as SetError {
            throw error
        } catch {
            throw SetError("serverFail", "\(error)")
        }
    }
}
