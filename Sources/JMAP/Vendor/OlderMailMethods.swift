import Kernel
import Mail
import MailKernelAPI
import Sync

extension Method {
    /// Mail from before the sync window, which only the service has.
    static let olderMail: [Method] = [
        Method("OlderMail/query", .reading, OlderMailMethods.query),
        Method("OlderMail/keep", .reading, OlderMailMethods.keep),
    ]
}

enum OlderMailMethods {
    private static let maxLimit = 50

    /// Searches at the service. It is asked each time, so clients ask when the user wants it.
    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let object = try arguments.required(try arguments.object("filter"), "filter")
        let position = try arguments.unsignedInt("position") ?? 0
        let limit = min(try arguments.unsignedInt("limit") ?? 25, maxLimit)
        try arguments.finish()
        guard position <= OlderMail.most else {
            throw .invalidArguments("position", "must be at most \(OlderMail.most)")
        }
        let filter = try await EmailFilterReader.read(object, context, in: account.id)
        do throws(OlderMail.Problem) {
            let page = try await context.kernel.olderMail.search(
                filter, in: account, from: position, limit: max(1, limit))
            return [
                "accountId": .string(account.id.rawValue), "list": .array(page.found.map(\.json)),
                "nextPosition": page.next.map { .number(Double($0)) } ?? .null, "isCut": .bool(page.isCut),
            ]
        } catch {
            throw MethodError(error)
        }
    }

    /// Gets a message that was found, so that it can be opened like any other.
    @Sendable static func keep(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.account(&arguments)
        let feed = try arguments.required(try arguments.string("feedId"), "feedId")
        let remote = try arguments.required(try arguments.string("remoteId"), "remoteId")
        try arguments.finish()
        let address = RemoteAddress(feed: FeedID(feed), id: RemoteMessageID(remote))
        guard address.isWithinLimits else { throw .invalidArguments("remoteId", "is not from a search") }
        let id: Id<Email>
        do throws(OlderMail.Problem) {
            id = try await context.kernel.olderMail.keep(address, of: account)
        } catch {
            throw MethodError(error)
        }
        let stored = try await context.reading { store throws(StorageError) in
            try await store.emails([id], in: account.id).first
        }
        guard let stored else { throw MethodError(.service(.notFound)) }
        return [
            "accountId": .string(account.id.rawValue), "emailId": .string(id.rawValue),
            "threadId": .string(stored.threadID.rawValue),
        ]
    }
}

extension MethodError {
    fileprivate init(_ problem: OlderMail.Problem) {
        self =
            switch problem {
            case .store(let error): MethodError(error)
            case .impossible(let sentence): MethodError("unsupportedFilter", sentence)
            case .service(.notFound): MethodError("notFound", "This message no longer exists at the service.")
            case .service(.unsupported):
                MethodError("unsupportedFilter", "The service cannot search for this.")
            case .service(let error): MethodError("serverUnavailable", error.sentence)
            }
    }
}

extension OlderMail.Found {
    fileprivate var json: JSONValue {
        [
            "feedId": .string(address.feed.rawValue), "remoteId": .string(address.id.rawValue),
            "from": email.header.from.jsonOrNull, "to": email.header.to.jsonOrNull,
            "subject": email.header.subject.map { .string($0) } ?? .null,
            "receivedAt": .string(JMAPDate.write(email.receivedAt)), "preview": .string(email.preview),
            "hasAttachment": .bool(email.hasAttachment), "size": .number(Double(email.size)),
            "keywords": .object(
                Dictionary(email.keywords.map { ($0.rawValue, .bool(true)) }) { first, _ in first }),
        ]
    }
}
