import Compose
import MailKernelAPI

/// `Draft/set`. A draft is on disk when the answer is.
enum DraftSetMethods {
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: Draft.dataType, in: account.id)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        let identities = try await context.reading { store throws(StorageError) in
            try await store.identities(nil, in: account.id)
        }
        let drafts = context.kernel.drafts
        let (reader, accountID) = (DraftReader(context: context), account.id)
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                guard let first = identities.first else { throw SetError(.noIdentity) }
                let content = try reader.content(object, over: DraftContent(identityID: first.id))
                try check(content, identities)
                let draft = try await SetError.composing {
                    try await drafts.create(content, in: accountID)
                }
                context.createdIDs[creationID] = draft.id.rawValue
                answer.created[creationID] = .object(draft.json.filter { object[$0.key] != $0.value })
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                let draft = try await update(Id(id), patch, identities, accountID, reader, drafts)
                let changed = draft.json.filter { patch[$0.key] != $0.value }
                answer.updated[id] = .object(changed.filter { Self.serverMade.contains($0.key) })
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(context) {
            do throws(SetError) {
                let isGone = try await SetError.composing { try await drafts.destroy(Id(id), in: accountID) }
                guard isGone else { throw SetError.notFound }
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        let newState = try await context.state(of: Draft.dataType, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    /// What an update makes that the client did not say.
    private static let serverMade: Set<String> = [
        "emailId", "to", "cc", "bcc", "subject", "body", "attachments", "savedAt", "encodedSize", "problems",
        "conflict",
    ]

    private static func update(
        _ id: Id<Draft>, _ patch: [String: JSONValue], _ identities: [Identity], _ accountID: Id<Account>,
        _ reader: DraftReader, _ drafts: Drafts
    ) async throws(SetError) -> Draft {
        if let settled = patch["conflict"]?.stringValue {
            guard patch.count == 1, ["reload", "keep"].contains(settled) else {
                throw .invalidProperty(
                    "conflict", "must be “reload” or “keep”, without any other change")
            }
            return try await SetError.composing {
                try await drafts.settleConflict(of: id, in: accountID, keepingOwn: settled == "keep")
            }
        }
        return try await SetError.composing {
            try await drafts.update(id, in: accountID) { old in
                let content = try reader.content(try Patch.apply(patch, to: old.json), over: old)
                try check(content, identities)
                return content
            }
        }
    }

    private static func check(_ content: DraftContent, _ identities: [Identity]) throws(SetError) {
        guard identities.contains(where: { $0.id == content.identityID }) else {
            throw .invalidProperty("identityId", "is not an identity of this account")
        }
    }
}

extension SetError {
    init(_ error: ComposeError) {
        switch error {
        case .empty: self.init("emptyDraft", error.sentence)
        case .notFound: self = .notFound
        case .isBeingSent: self.init("forbidden", error.sentence)
        case .noBlob(let id):
            self.init(
                "blobNotFound", error.sentence, properties: ["attachments"],
                details: ["notFound": [.string(id.rawValue)]])
        case .tooLarge: self.init("tooLarge", error.sentence)
        case .noIdentity, .problems: self.init("invalidProperties", error.sentence)
        }
    }

    /// Runs an action of the kernel's drafts and says its errors as those of one object.
    static func composing<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(SetError) -> Value {
        try await wrapping {
            do {
                return try await action()
            } catch let error as ComposeError {
                throw SetError(error)
            }
        }
    }
}
