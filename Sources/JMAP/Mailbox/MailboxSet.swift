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
        let oldState = try await context.expectedState(of: .mailbox, in: account.id, asked.ifInState)
        let features = try await context.reading { _ throws(StorageError) in
            try await context.kernel.mail.features(of: account.id)
        }
        var run = MailboxSetRun(context, account, features, asked, removesEmails: removesEmails)
        await run.all()
        context.createdIDs = run.context.createdIDs
        let newState = try await context.state(of: .mailbox, in: account.id)
        return run.answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }
}

/// One `Mailbox/set`: only the final state must be valid (RFC 8620, section 5.3). A change rejected because
/// of another mailbox is retried after others were set, and mutually dependent changes are made together.
private struct MailboxSetRun {
    private(set) var context: RequestContext
    private(set) var answer = SetAnswer()
    private let account: Account
    private let features: AccountFeatures
    private let removesEmails: Bool
    private let asked: SetArguments
    private var creates: [(creationID: String, object: [String: JSONValue])]
    /// Whether it is of no use to try them once more.
    private var isSettled: Set<String> = []

    init(
        _ context: RequestContext, _ account: Account, _ features: AccountFeatures, _ asked: SetArguments,
        removesEmails: Bool
    ) {
        (self.context, self.account, self.features, self.asked) = (context, account, features, asked)
        self.removesEmails = removesEmails
        creates = asked.create
    }

    mutating func all() async {
        while true {
            if await someCreated() { continue }
            if await someUpdated() { continue }
            if await someUpdatedTogether() { continue }
            guard await someDestroyed() else { break }
        }
        // Children of a mailbox that could not be created.
        for (creationID, _) in creates where answer.notCreated[creationID] == nil {
            answer.notCreated[creationID] = .invalidProperty("parentId", "is not a mailbox of this account")
        }
    }

    private var setter: MailboxSetter {
        get async throws(SetError) { try await MailboxSetter(context, account, features) }
    }

    /// Runs an action on the current mailboxes, and again if another client changes them in the meantime.
    private func current<Value>(
        _ action: (MailboxSetter) async throws(SetError) -> Value
    ) async throws(SetError) -> Value {
        try await SetError.again { () async throws(SetError) in try await action(setter) }
    }

    /// A mailbox may be created below another one of the same call, in any order.
    private mutating func someCreated() async -> Bool {
        var isProgress = false
        let names = creates.map(\.creationID)
        for (creationID, object) in creates where !object.isBelowOne(of: names.filter { $0 != creationID }) {
            do throws(SetError) {
                let mailbox = try await current { setter async throws(SetError) in
                    try await setter.create(object)
                }
                context.createdIDs[creationID] = mailbox.id.rawValue
                answer.created[creationID] = .object(
                    StoredMailbox(mailbox: mailbox, counts: MailboxCounts()).json.filter {
                        $0.key != "name" && $0.key != "parentId"
                    }.merging(Self.composedName(in: object)) { _, new in new })
                answer.notCreated[creationID] = nil
                creates.removeAll { $0.creationID == creationID }
                isProgress = true
            } catch {
                answer.notCreated[creationID] = error
                if !error.isOfPlace { creates.removeAll { $0.creationID == creationID } }
            }
        }
        return isProgress
    }

    private var waitingUpdates: [(id: String, patch: [String: JSONValue])] {
        asked.updates(context).filter {
            answer.updated[$0.id] == nil && !isSettled.contains("update " + $0.id)
        }
    }

    private mutating func someUpdated() async -> Bool {
        var isProgress = false
        for (id, patch) in waitingUpdates {
            do throws(SetError) {
                try await current { setter async throws(SetError) in try await setter.update(Id(id), patch) }
                note(updated: id, by: patch)
                isProgress = true
            } catch {
                answer.notUpdated[id] = error
                // A missing mailbox may still be created by this call.
                if !error.isOfPlace && !id.hasPrefix("#") { isSettled.insert("update " + id) }
            }
        }
        return isProgress
    }

    /// Two that swap their names, or more in a circle.
    private mutating func someUpdatedTogether() async -> Bool {
        let waiting = waitingUpdates
        guard waiting.count > 1 else { return false }
        do throws(SetError) {
            let updated = try await current { setter async throws(SetError) in
                try await setter.updateTogether(waiting)
            }
            for (id, patch) in waiting where updated.contains(id) { note(updated: id, by: patch) }
            return !updated.isEmpty
        } catch {
            return false
        }
    }

    private mutating func note(updated id: String, by patch: [String: JSONValue]) {
        let made = Self.composedName(in: patch)
        answer.updated[id] = made.isEmpty ? .some(.null) : .object(made)
        answer.notUpdated[id] = nil
    }

    /// The name as it is kept, where the client wrote it otherwise.
    private static func composedName(in object: [String: JSONValue]) -> [String: JSONValue] {
        guard let name = object["name"]?.stringValue, !name.composed.utf8.elementsEqual(name.utf8) else {
            return [:]
        }
        return ["name": .string(name.composed)]
    }

    /// A parent and its children may be destroyed in one call, in any order.
    private mutating func someDestroyed() async -> Bool {
        var isProgress = false
        for id in asked.destroys(context)
        where !answer.destroyed.contains(id) && !isSettled.contains("destroy " + id) {
            do throws(SetError) {
                try await setter.destroy(Id(id), removesEmails)
                answer.destroyed.append(id)
                answer.notDestroyed[id] = nil
                isProgress = true
            } catch {
                answer.notDestroyed[id] = error
                if error.type != "mailboxHasChild" && !id.hasPrefix("#") { isSettled.insert("destroy " + id) }
            }
        }
        return isProgress
    }
}

extension SetError {
    /// It may be otherwise once another mailbox has gone from its place.
    fileprivate var isOfPlace: Bool {
        type == "invalidProperties" && (properties == ["name"] || properties == ["parentId"])
    }
}

extension [String: JSONValue] {
    fileprivate func isBelowOne(of creationIDs: [String]) -> Bool {
        guard let parent = self["parentId"]?.stringValue, parent.hasPrefix("#") else { return false }
        return creationIDs.contains(String(parent.dropFirst()))
    }
}
