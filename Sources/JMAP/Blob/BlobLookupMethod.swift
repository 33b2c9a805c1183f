import Mail
import MailKernelAPI

/// `Blob/lookup` (RFC 9404, section 4.3): which records a blob belongs to.
enum BlobLookupMethod {
    static let typeNames = ["Email", "Mailbox", "Thread"]

    @Sendable static func lookup(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let names = try arguments.required(try arguments.names("typeNames"), "typeNames")
        let ids = try arguments.required(try arguments.ids("ids"), "ids")
        try arguments.finish()
        if let unknown = names.first(where: { !typeNames.contains($0) }) {
            throw MethodError(
                "unknownDataType",
                "“\(ExactName.restored(unknown).prefix(60))” is none of \(typeNames.joined(separator: ", "))."
            )
        }
        let limit = context.limits.maxObjectsInGet
        guard ids.count <= limit else { throw .tooManyObjects(limit) }
        var list: [JSONValue] = []
        var notFound: [JSONValue] = []
        let blobs = context.kernel.blobs
        for name in ids {
            let id = context.resolved(name)
            let owner: Blobs.Owner? = try await context.reading { _ throws(StorageError) in
                if let id { try await blobs.owner(of: Id(id), in: account.id) } else { nil }
            }
            guard let id, let owner else {
                notFound.append(.string(ExactName.restored(name)))
                continue
            }
            let matched = names.map { ($0, JSONValue.array(matches($0, owner).map { .string($0) })) }
            let all = Dictionary(matched, uniquingKeysWith: { first, _ in first })
            list.append(["id": .string(id), "matchedIds": .object(all)])
        }
        return [
            "accountId": .string(account.id.rawValue), "list": .array(list), "notFound": .array(notFound),
        ]
    }

    private static func matches(_ type: String, _ owner: Blobs.Owner) -> [String] {
        guard case .email(let stored) = owner else { return [] }
        return switch type {
        case "Email": [stored.email.id.rawValue]
        case "Thread": [stored.threadID.rawValue]
        case "Mailbox": stored.email.mailboxIDs.map(\.rawValue).sorted()
        default: []
        }
    }
}
