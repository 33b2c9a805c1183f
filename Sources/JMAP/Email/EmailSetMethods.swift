import Kernel
import MailKernelAPI

/// `Email/set` (RFC 8621, section 4.6).
enum EmailSetMethods {
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        return try await carryOut(asked, in: account, &context)
    }

    /// The same as a call that another one brings with it.
    ///
    /// - Parameter isOfSubmission: it brings a message on its way, and may take its email away: what goes out is a copy.
    static func carryOutImplicitly(
        _ asked: [String: JSONValue], in account: Account, isOfSubmission: Bool = false,
        _ context: inout RequestContext
    ) async {
        do throws(MethodError) {
            var arguments = Arguments(asked)
            let answer = try await carryOut(
                SetArguments(&arguments, context), in: account, isOfSubmission: isOfSubmission, &context)
            context.addImplicit("Email/set", .success(answer))
        } catch {
            context.addImplicit("Email/set", .failure(error))
        }
    }

    /// Creates come one by one; updates happen all together, and so do destroys.
    static func carryOut(
        _ asked: SetArguments, in account: Account, isOfSubmission: Bool = false,
        _ context: inout RequestContext
    ) async throws(MethodError) -> [String: JSONValue] {
        let oldState = try await context.expectedState(of: .email, in: account.id, asked.ifInState)
        let mailboxes = try await MailboxChoice(context, account)
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let stored = try await EmailCreation(context: context, account: account, mailboxes: mailboxes)
                    .create(object)
                context.createdIDs[creationID] = stored.email.id.rawValue
                answer.created[creationID] = stored.createdJSON
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        try await update(asked.updates(context), mailboxes, account, context, &answer)
        try await destroy(
            asked.destroys(context), mailboxes, account, evenIfBeingSent: isOfSubmission, context, &answer)
        let newState = try await context.state(of: .email, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private static func update(
        _ asked: [(id: String, patch: [String: JSONValue])], _ mailboxes: MailboxChoice, _ account: Account,
        _ context: RequestContext, _ answer: inout SetAnswer
    ) async throws(MethodError) {
        guard !asked.isEmpty else { return }
        let changes = EmailChanges(mailboxes, account, context)
        do throws(SetError) {
            for id in try await changes.carryOut(asked, &answer.notUpdated) { answer.updated[id] = .null }
        } catch {
            // Something changed since it was looked at: find out which.
            for (id, patch) in asked where answer.notUpdated[id] == nil {
                do throws(SetError) {
                    _ = try await changes.carryOut([(id, patch)], &answer.notUpdated)
                    if answer.notUpdated[id] == nil { answer.updated[id] = .null }
                } catch {
                    answer.notUpdated[id] = error
                }
            }
        }
    }

    private static func destroy(
        _ asked: [String], _ mailboxes: MailboxChoice, _ account: Account, evenIfBeingSent: Bool,
        _ context: RequestContext, _ answer: inout SetAnswer
    ) async throws(MethodError) {
        guard !asked.isEmpty else { return }
        let kernel = context.kernel
        let beingSent = try await context.reading { _ throws(StorageError) in
            try await evenIfBeingSent ? [] : kernel.mail.beingSent(in: account.id)
        }
        let there = try await present(asked.map { Id($0) }, account, context)
        for id in Set(asked).subtracting(there.map(\.id.rawValue)) { answer.notDestroyed[id] = .notFound }
        var allowed: [Id<Email>] = []
        for email in there {
            do throws(SetError) {
                try mailboxes.checkDestroying(email, beingSent: beingSent)
                allowed.append(email.id)
            } catch {
                answer.notDestroyed[email.id.rawValue] = error
            }
        }
        let (actions, client, accountID) = (context.kernel.actions, context.client.name, account.id)
        let ids = allowed
        do throws(SetError) {
            try await SetError.wrapping { try await actions.destroy(ids, in: accountID, client: client) }
            answer.destroyed = ids.map(\.rawValue)
        } catch {
            try await destroyOneByOne(ids, account, context, &answer)
        }
    }

    /// Some went since they were looked at, or one cannot go: that keeps none of the others.
    private static func destroyOneByOne(
        _ ids: [Id<Email>], _ account: Account, _ context: RequestContext, _ answer: inout SetAnswer
    ) async throws(MethodError) {
        let (actions, client, accountID) = (context.kernel.actions, context.client.name, account.id)
        for id in ids {
            do throws(SetError) {
                try await SetError.wrapping { try await actions.destroy([id], in: accountID, client: client) }
                answer.destroyed.append(id.rawValue)
            } catch {
                answer.notDestroyed[id.rawValue] = error
            }
        }
    }

    private static func present(
        _ ids: [Id<Email>], _ account: Account, _ context: RequestContext
    ) async throws(MethodError) -> [Email] {
        try await context.reading { store throws(StorageError) in
            try await store.emails(ids, in: account.id).map(\.email)
        }
    }
}

extension StoredEmail {
    /// What `Email/set`, `import` and `copy` say of a new email.
    var createdJSON: JSONValue {
        [
            "id": .string(email.id.rawValue), "blobId": .string(email.blobID.rawValue),
            "threadId": .string(threadID.rawValue), "size": .number(Double(email.size)),
        ]
    }
}

/// The mailboxes of an account, as those see them who change its emails.
struct MailboxChoice {
    let mailboxes: [Id<Mailbox>: Mailbox]
    let limit: Int?
    let createdIDs: [String: String]

    init(_ context: RequestContext, _ account: Account) async throws(MethodError) {
        let stored = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(nil, in: account.id)
        }
        mailboxes = Dictionary(stored.map { ($0.mailbox.id, $0.mailbox) }) { first, _ in first }
        let kernel = context.kernel
        let features = try await context.reading { _ throws(StorageError) in
            try await kernel.mail.features(of: account.id)
        }
        limit = features.contains(.labels) ? nil : 1
        createdIDs = context.createdIDs
    }

    /// Reads the `mailboxIds` of an email that is to be added.
    func readForNew(_ value: JSONValue?) throws(SetError) -> Set<Id<Mailbox>> {
        let ids = try read(value)
        for id in ids.sorted() { try checkAdding(to: id) }
        return ids
    }

    /// Reads `mailboxIds`.
    func read(_ value: JSONValue?) throws(SetError) -> Set<Id<Mailbox>> {
        guard let object = value?.objectValue else {
            throw .invalidProperty("mailboxIds", "must be an object")
        }
        var ids: Set<Id<Mailbox>> = []
        for (key, value) in object {
            let id = Id<Mailbox>(key.hasPrefix("#") ? createdIDs[String(key.dropFirst())] ?? "" : key)
            guard value == true, mailboxes[id] != nil else {
                throw .invalidProperty("mailboxIds", "must contain true for mailboxes of this account")
            }
            ids.insert(id)
        }
        guard !ids.isEmpty else { throw .invalidProperty("mailboxIds", "must contain a mailbox") }
        if let limit, ids.count > limit {
            throw SetError(
                "tooManyMailboxes", "In this account, an email can be in only one mailbox.",
                properties: ["mailboxIds"])
        }
        return ids
    }

    /// Reads `keywords`.
    static func keywords(_ value: JSONValue?) throws(SetError) -> Set<Keyword> {
        guard let value, value != .null else { return [] }
        guard let object = value.objectValue else {
            throw .invalidProperty("keywords", "must be an object")
        }
        var keywords: Set<Keyword> = []
        for (key, value) in object {
            guard value == true, (1...255).contains(key.utf8.count),
                key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !forbidden.contains($0) })
            else {
                throw .invalidProperty(
                    "keywords", "must contain true for keywords of ASCII letters and signs")
            }
            keywords.insert(Keyword(key))
        }
        guard keywords.count <= 100 else {
            throw SetError("tooManyKeywords", "An email can have at most 100 keywords.")
        }
        return keywords
    }

    private static let forbidden = Set("(){]%*\"\\".utf8)
}
