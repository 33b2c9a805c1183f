import Compose
import MailKernelAPI

/// `Draft/set`. A draft is on disk when the answer is.
struct DraftSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let identities = try await Self.identities(of: accountID, context)
        guard let first = identities.first else { throw SetError(.noIdentity) }
        let content = try DraftReader(context: context).content(
            object, over: DraftContent(identityID: first.id))
        try Self.check(content, identities)
        let drafts = context.kernel.drafts
        let draft = try await SetError.composing { try await drafts.create(content, in: accountID) }
        let store = context.kernel.store
        let json = try await SetError.wrapping { try await draft.json(store) }
        return (draft.id.rawValue, json.filter { object[$0.key] != $0.value })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let identities = try await Self.identities(of: accountID, context)
        let draft = try await Self.update(
            Id(id), patch, identities, accountID, DraftReader(context: context), context.kernel.drafts)
        let store = context.kernel.store
        let json = try await SetError.wrapping { try await draft.json(store) }
        return .object(json.filter { patch[$0.key] != $0.value && Self.serverMade.contains($0.key) })
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let drafts = context.kernel.drafts
        let isGone = try await SetError.composing { try await drafts.destroy(Id(id), in: accountID) }
        guard isGone else { throw .notFound }
    }

    private static func identities(
        of accountID: Id<Account>, _ context: RequestContext
    ) async throws(SetError) -> [Identity] {
        let store = context.store
        return try await SetError.wrapping { try await store.identities(nil, in: accountID) }
    }

    /// What an update makes that the client did not say.
    private static let serverMade: Set<String> = [
        "emailId", "to", "cc", "bcc", "subject", "body", "html", "attachments", "savedAt", "encodedSize",
        "problems",
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
                var content = try reader.content(try Patch.apply(patch, to: old.json), over: old)
                // A client that knows only the text: what it wrote counts.
                if patch["html"] == nil, content.body != old.body { content.html = nil }
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
