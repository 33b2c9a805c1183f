import Compose
import FoundationEssentials
import MailKernelAPI

extension RecordType {
    /// How the mailing list of an email can be left; its id is the email's.
    static let unsubscription = RecordType(
        "Unsubscription", .senders, .stored(Unsubscription.dataType),
        [
            "id", "sender", "methods", "state", "method", "target", "at", "sendAt", "submissionId",
            "isStillSending",
        ])
}

extension Method {
    static let unsubscriptions: [Method] = [
        .get(.unsubscription, UnsubscriptionMethods.get),
        Method(.unsubscription, "send", UnsubscriptionMethods.send),
        Method(.unsubscription, "takeBack", UnsubscriptionMethods.takeBack),
    ]
}

enum UnsubscriptionMethods {
    /// The header of each is read.
    private static let most = 100

    @Sendable static func get(
        _ context: inout RequestContext, _ accountID: Id<Account>, _ asked: GetArguments
    ) async throws(MethodError) -> [Record] {
        guard let ids = asked.ids(of: Email.self) else {
            throw .invalidArguments("ids", "must contain ids of emails")
        }
        guard ids.count <= most else { throw .tooManyObjects(most) }
        let desk = context.kernel.unsubscribing
        return try await context.reading { _ throws(StorageError) in
            try await desk.views(of: ids, in: accountID)
        }.map { ($0.emailID.rawValue, $0.json) }
    }

    @Sendable static func send(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.account(&arguments)
        let id = try emailID(&arguments, context)
        let name = try arguments.required(try arguments.string("method"), "method")
        try arguments.finish()
        guard let kind = UnsubscribeMethod.Kind(rawValue: name) else {
            throw .invalidArguments("method", "must be “oneClick”, “mail” or “page”")
        }
        let (kernel, accountID, isPage) = (context.kernel, account.id, context.client.isPage)
        let submission = try await unsubscribing {
            try await kernel.unsubscribing.unsubscribe(
                from: id, in: accountID, by: kind, isFromPage: isPage)
        }
        return [
            "accountId": .string(accountID.rawValue),
            "submissionId": submission.map { .string($0.id.rawValue) } ?? .null,
            "sendAt": submission.map { .string(JMAPDate.write($0.sendAt)) } ?? .null,
            "undoSeconds": submission.map {
                .number($0.sendAt.timeIntervalSince($0.queuedAt).rounded())
            } ?? .null,
        ]
    }

    @Sendable static func takeBack(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.account(&arguments)
        let id = try emailID(&arguments, context)
        try arguments.finish()
        let (kernel, accountID) = (context.kernel, account.id)
        let isTakenBack = try await unsubscribing {
            try await kernel.unsubscribing.takeBack(id, in: accountID)
        }
        return ["accountId": .string(accountID.rawValue), "isTakenBack": .bool(isTakenBack)]
    }

    private static func emailID(
        _ arguments: inout Arguments, _ context: RequestContext
    ) throws(MethodError) -> Id<Email> {
        let asked = try arguments.required(try arguments.name("id"), "id")
        return Id(context.resolved(asked) ?? asked)
    }

    private static func unsubscribing<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(MethodError) -> Value {
        let result: Result<Value, UnsubscribeError> = try await MethodError.composing {
            do {
                return .success(try await action())
            } catch let error as UnsubscribeError {
                return .failure(error)
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw MethodError(error.type, error.sentence)
        }
    }
}

extension UnsubscribeError {
    fileprivate var type: String {
        switch self {
        case .notFound: "invalidArguments"
        case .notOffered: "methodNotOffered"
        case .alreadyDone: "alreadyUnsubscribed"
        case .failed: "unsubscribeFailed"
        }
    }
}

extension UnsubscribeView {
    var json: [String: JSONValue] {
        recordJSON.merging([
            "id": .string(emailID.rawValue), "sender": .string(list.sender),
            "methods": .array(methods.map { .object($0.json) }),
        ]) { $1 }
    }

    /// What the user did, as far as it stands.
    var recordJSON: [String: JSONValue] {
        let record = progress == .none ? nil : record
        return [
            "state": .string(progress.rawValue),
            "method": record.map { .string($0.kind.rawValue) } ?? .null,
            "target": record.map { .string($0.target) } ?? .null,
            "at": record.map { .string(JMAPDate.write($0.at)) } ?? .null,
            "sendAt": sendAt.map { .string(JMAPDate.write($0)) } ?? .null,
            "submissionId": record?.submissionID.map { .string($0.rawValue) } ?? .null,
            "isStillSending": .bool(isStillSending),
        ]
    }
}

extension UnsubscribeMethod {
    fileprivate var json: [String: JSONValue] {
        var address: JSONValue = .null
        if case .page(let url) = self { address = .string(url.absoluteString) }
        return [
            "method": .string(kind.rawValue), "target": .string(target),
            "warning": warning.map { .string($0) } ?? .null, "url": address,
        ]
    }
}
