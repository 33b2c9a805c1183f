import Compose
import FoundationEssentials
import Mail
import MailKernelAPI

extension RecordType {
    static let draft = RecordType(
        "Draft", .compose, .stored(Draft.dataType),
        [
            "id", "emailId", "identityId", "mode", "sourceEmailId", "to", "cc", "bcc", "subject", "body",
            "html", "inReplyTo", "references", "attachments", "savedAt", "encodedSize", "problems",
            "conflict",
            "submissionId", "failure", "remindAt",
        ])
}

extension Method {
    /// Drafts: content, prefilling and sending.
    static let drafts: [Method] = [
        Method(.draft, "get", DraftMethods.get),
        .changes(of: .draft),
        .set(.draft, with: DraftSetter()),
        Method(.draft, "prefill", DraftMethods.prefill),
        Method(.draft, "send", DraftMethods.send),
    ]
}

enum DraftMethods {
    /// By their ids, or by the emails that show them in Drafts.
    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await context.account(for: .draft, &arguments)
        let emailIDs = try arguments.ids("emailIds")
        var asked = try GetArguments(&arguments, context, properties: RecordType.draft.properties)
        try arguments.finish()
        guard let emailIDs else { return try await context.get(.draft, in: accountID, asked, found) }
        guard asked.ids == nil else {
            throw .invalidArguments("emailIds", "must not be given together with “ids”")
        }
        guard emailIDs.count <= context.limits.maxObjectsInGet else {
            throw .tooManyObjects(context.limits.maxObjectsInGet)
        }
        let drafts = context.kernel.drafts
        let named = try await MethodError.composing {
            var named: [String: String] = [:]
            for id in emailIDs {
                named[id] = try await drafts.draft(of: Id(id), in: accountID)?.id.rawValue
            }
            return named
        }
        // Two emails may have shown the same draft.
        var listed: Set<String> = []
        asked.ids = emailIDs.compactMap { named[$0] }.filter { listed.insert($0).inserted }
        var answer = try await context.get(.draft, in: accountID, asked, found)
        answer["notFound"] = .array(emailIDs.filter { named[$0] == nil }.map { .string($0) })
        return answer
    }

    private static func found(
        _ context: inout RequestContext, _ accountID: Id<Account>, _ asked: GetArguments
    ) async throws(MethodError) -> [Record] {
        let (drafts, store) = (context.kernel.drafts, context.kernel.store)
        return try await MethodError.composing {
            var found: [Draft] = []
            if let ids = asked.ids(of: Draft.self) {
                for id in ids {
                    if let draft = try await drafts.draft(id, in: accountID) { found.append(draft) }
                }
            } else {
                found = try await drafts.all(in: accountID)
            }
            return try await Draft.json(found, store)
        }
    }

    @Sendable static func prefill(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let word = try arguments.string("mode") ?? "new"
        guard let mode = DraftContent.Mode(rawValue: word) else {
            throw .invalidArguments("mode", "must be one of \(DraftContent.Mode.list)")
        }
        let emailID = try arguments.string("emailId")
        let mailto = try arguments.string("mailto")
        try arguments.finish()
        guard mode == .new || mailto == nil else {
            throw .invalidArguments("mailto", "starts a new message, not a reply")
        }
        let (prefill, accountID) = (context.kernel.prefill, account.id)
        if mode == .new {
            guard emailID == nil else {
                throw .invalidArguments("emailId", "is for replies and forwarded messages")
            }
            let content = try await MethodError.composing {
                try await prefill.new(mailto: mailto, in: accountID)
            }
            guard let content else { throw .invalidArguments("mailto", "is not a mailto link") }
            return ["accountId": .string(accountID.rawValue), "draft": .object(content.json)]
        }
        guard let emailID else { throw .invalidArguments("emailId", "is missing") }
        let id = Id<Email>(context.resolved(emailID) ?? emailID)
        let content = try await MethodError.composing {
            try await prefill.content(mode, of: id, in: accountID)
        }
        guard let content else { throw .invalidArguments("emailId", "is not an email of this account") }
        return ["accountId": .string(accountID.rawValue), "draft": .object(content.json)]
    }

    @Sendable static func send(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        try context.requireWriting()
        let order = try SendOrder(&arguments, context)
        let (kernel, accountID, isPage) = (context.kernel, account.id, context.client.isPage)
        let reminder = try await order.check(in: accountID, context)
        let submission = try await MethodError.composing {
            try await kernel.sending.send(
                order.id, in: accountID, isFromPage: isPage, at: order.date, byService: order.isHandedOver
            ) { submission in
                try reminder.map {
                    [try Reminder(of: submission, until: $0, chosenAt: submission.queuedAt).change()]
                } ?? []
            }
        }
        let seconds =
            submission.isScheduled ? 0 : submission.sendAt.timeIntervalSince(submission.queuedAt).rounded()
        return [
            "accountId": .string(accountID.rawValue), "submissionId": .string(submission.id.rawValue),
            "emailId": .string(submission.emailID.rawValue),
            "sendAt": .string(JMAPDate.write(submission.leavesAt)), "undoSeconds": .number(seconds),
            "isScheduled": .bool(submission.isScheduled), "isHandedOver": .bool(submission.isHandedOver),
        ]
    }
}

extension MethodError {
    /// Runs an action of the kernel's and says its errors as a method does.
    static func composing<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(MethodError) -> Value {
        do {
            return try await action()
        } catch let error as ComposeError {
            throw MethodError(error)
        } catch let error as StorageError {
            throw MethodError(error)
        } catch let error as AccountError {
            throw MethodError("serverFail", error.sentence)
        } catch let error as BlobError {
            throw MethodError("serverFail", error.sentence)
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
    }

    private init(_ error: ComposeError) {
        switch error {
        case .problems(let problems):
            self.init(
                "invalidArguments", error.sentence,
                details: ["problems": .array(problems.map { .object($0.json) })])
        case .notFound: self = .invalidArguments("id", "is not a draft of this account")
        case .isBeingSent: self.init("forbidden", error.sentence)
        case .noIdentity, .empty, .noBlob, .tooLarge: self.init("invalidArguments", error.sentence)
        }
    }
}
