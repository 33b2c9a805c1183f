import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// Emails out of blobs and out of other accounts (RFC 8621, sections 4.7 to 4.9).
enum EmailTransferMethods {
    @Sendable static func importEmails(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        try context.requireWriting()
        let ifInState = try arguments.name("ifInState").map { State(rawValue: $0) }
        let asked = try arguments.created("emails")
        try arguments.finish()
        guard asked.count <= context.limits.maxObjectsInSet else {
            throw MethodError(
                "requestTooLarge", "At most \(context.limits.maxObjectsInSet) emails at a time.")
        }
        let oldState = try await context.expectedState(of: .email, in: account.id, ifInState)
        let mailboxes = try await MailboxChoice(context, account)
        var answer = SetAnswer()
        for (creationID, value) in asked.sorted(by: { $0.key < $1.key }) {
            do throws(SetError) {
                guard let object = value.objectValue else {
                    throw SetError.invalidProperty("emails", "must contain objects")
                }
                let stored = try await importEmail(object, account, mailboxes, context)
                context.createdIDs[creationID] = stored.email.id.rawValue
                answer.created[creationID] = stored.createdJSON
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        let newState = try await context.state(of: .email, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
            .filter { ["accountId", "oldState", "newState", "created", "notCreated"].contains($0.key) }
    }

    private static func importEmail(
        _ object: [String: JSONValue], _ account: Account, _ mailboxes: MailboxChoice,
        _ context: RequestContext
    ) async throws(SetError) -> StoredEmail {
        let known: Set = ["blobId", "mailboxIds", "keywords", "receivedAt"]
        if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard let blobID = object["blobId"]?.stringValue.flatMap({ context.resolved($0) }) else {
            throw .invalidProperty("blobId", "is missing")
        }
        let ids = try mailboxes.readForNew(object["mailboxIds"])
        let keywords = try MailboxChoice.keywords(object["keywords"])
        let kernel = context.kernel
        var receivedAt: Date?
        if let value = object["receivedAt"], value != .null {
            guard let date = value.stringValue.flatMap(JMAPDate.readUTC) else {
                throw .invalidProperty("receivedAt", "must be a date like 2014-10-30T06:12:00Z")
            }
            receivedAt = date
        }
        let received = receivedAt
        let message = try await message(blobID, account, context)
        guard isMessage(message) else { throw SetError("invalidEmail", "These bytes are not a message.") }
        return try await SetError.wrapping {
            try await kernel.mail.add(
                message, to: ids, keywords: keywords, receivedAt: received, in: account.id)
        }
    }

    /// What a blob holds that an import names.
    private static func message(
        _ blobID: String, _ account: Account, _ context: RequestContext
    ) async throws(SetError) -> Data {
        let blobs = context.kernel.blobs
        do {
            return try await SetError.wrapping { try await blobs.message(Id(blobID), in: account.id) }
        } catch {
            guard ["blobNotFound", "notFound"].contains(error.type) else { throw error }
            throw .invalidProperty("blobId", "is not a blob of this account")
        }
    }

    /// Broken messages are accepted unchanged; data without any header field is not a message.
    private static func isMessage(_ bytes: Data) -> Bool {
        !MessageParser().headers(of: bytes.prefix(100_000)).isEmpty
    }

    @Sendable static func copy(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let source = try await context.sourceAccount(&arguments)
        let account = try await context.account(&arguments)
        guard source.id != account.id else {
            throw .invalidArguments("fromAccountId", "must be another account than “accountId”")
        }
        let ifFromInState = try arguments.name("ifFromInState").map { State(rawValue: $0) }
        let ifInState = try arguments.name("ifInState").map { State(rawValue: $0) }
        let asked = try arguments.created("create")
        let destroysOriginal = try arguments.bool("onSuccessDestroyOriginal")
        let destroyState = try arguments.name("destroyFromIfInState").map { State(rawValue: $0) }
        try arguments.finish()
        let oldState = try await context.expectedState(of: .email, in: account.id, ifInState)
        _ = try await context.expectedState(of: .email, in: source.id, ifFromInState)
        let mailboxes = try await MailboxChoice(context, account)
        var answer = SetAnswer()
        var copied: [String] = []
        for (creationID, value) in asked.sorted(by: { $0.key < $1.key }) {
            do throws(SetError) {
                let object = value.objectValue ?? [:]
                guard let id = object["id"]?.stringValue else { throw .invalidProperty("id", "is missing") }
                let original = context.resolved(id) ?? id
                let stored = try await copyEmail(
                    Id(original), object, source, account, mailboxes, context)
                context.createdIDs[creationID] = stored.email.id.rawValue
                answer.created[creationID] = stored.createdJSON
                copied.append(original)
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        if destroysOriginal, !copied.isEmpty {
            var destroying: [String: JSONValue] = ["destroy": .array(copied.map { .string($0) })]
            if let destroyState { destroying["ifInState"] = .string(destroyState.rawValue) }
            await EmailSetMethods.carryOutImplicitly(destroying, in: source, &context)
        }
        let newState = try await context.state(of: .email, in: account.id)
        var result = answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
            .filter { ["accountId", "oldState", "newState", "created", "notCreated"].contains($0.key) }
        result["fromAccountId"] = .string(source.id.rawValue)
        return result
    }

    private static func copyEmail(
        _ id: Id<Email>, _ object: [String: JSONValue], _ source: Account, _ account: Account,
        _ mailboxes: MailboxChoice, _ context: RequestContext
    ) async throws(SetError) -> StoredEmail {
        let known: Set = ["id", "mailboxIds", "keywords", "receivedAt"]
        if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        let ids = try mailboxes.readForNew(object["mailboxIds"])
        let kernel = context.kernel
        let original = try await SetError.wrapping {
            try await kernel.store.read.emails([id], in: source.id).first?.email
        }
        guard let original else { throw .notFound }
        let keywords =
            object["keywords"] == nil
            ? original.keywords : try MailboxChoice.keywords(object["keywords"])
        var receivedAt = original.receivedAt
        if let value = object["receivedAt"], value != .null {
            guard let date = value.stringValue.flatMap(JMAPDate.readUTC) else {
                throw .invalidProperty("receivedAt", "must be a date like 2014-10-30T06:12:00Z")
            }
            receivedAt = date
        }
        let received = receivedAt
        return try await SetError.wrapping {
            let message = try await kernel.blobs.message(original.blobID, in: source.id)
            return try await kernel.mail.add(
                message, to: ids, keywords: keywords, receivedAt: received, in: account.id)
        }
    }

    @Sendable static func parse(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let ids = try arguments.required(try arguments.ids("blobIds"), "blobIds")
        let properties = try EmailProperties(&arguments, isParse: true)
        try arguments.finish()
        guard ids.count <= context.limits.maxObjectsInGet else {
            throw MethodError("requestTooLarge", "At most \(context.limits.maxObjectsInGet) blobs at a time.")
        }
        var parsed: [String: JSONValue] = [:]
        var notParsable: [JSONValue] = []
        var notFound: [JSONValue] = []
        var budget = context.budget
        for id in ids {
            let blobID = Id<Blob>(context.resolved(id) ?? id)
            switch try await blob(blobID, in: account, context) {
            case .message(let message):
                let whole = MessageParser().parse(message) { BlobID(blobID, part: $0).id }
                let object = JSONValue.object(properties.json(of: whole, blobID: blobID, size: message.count))
                try budget.take(object)
                parsed[id] = object
            case .noMessage: notParsable.append(.string(ExactName.restored(id)))
            case .missing: notFound.append(.string(ExactName.restored(id)))
            }
        }
        return [
            "accountId": .string(account.id.rawValue),
            "parsed": parsed.isEmpty ? .null : .object(parsed),
            "notParsable": notParsable.isEmpty ? .null : .array(notParsable),
            "notFound": notFound.isEmpty ? .null : .array(notFound),
        ]
    }

    private enum ParsableBlob {
        case message(Data)
        case noMessage
        case missing
    }

    /// An existing blob that is currently unavailable is neither: the call can be repeated later.
    private static func blob(
        _ id: Id<Blob>, in account: Account, _ context: RequestContext
    ) async throws(MethodError) -> ParsableBlob {
        do {
            let message = try await context.kernel.blobs.message(id, in: account.id)
            return isMessage(message) ? .message(message) : .noMessage
        } catch BlobError.notFound {
            return .missing
        } catch BlobError.tooLarge {
            return .noMessage
        } catch StorageError.notFound {
            return .missing
        } catch let error as StorageError {
            throw MethodError(error)
        } catch let error as BlobError {
            throw MethodError("serverFail", error.sentence)
        } catch AccountError.notFound {
            return .missing
        } catch let error as AccountError {
            throw MethodError("serverUnavailable", error.sentence)
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
    }
}
