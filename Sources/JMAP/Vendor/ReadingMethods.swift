import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

extension RecordType {
    static let emailView = RecordType(
        "EmailView", .reading, .follows(.email),
        [
            "id", "html", "hasQuote", "blockedRemoteCount", "blockedImageCount", "refusedRemote",
            "pendingImageCount", "removedTrackerCount", "linkHosts", "isTruncated", "hasDeeperParts",
            "isSenderTrusted", "dangerousBlobIds",
            "attachmentRisks", "linkWarnings",
        ])
}

extension Method {
    static let reading =
        [Method(.emailView, "get", ReadingMethods.getViews)] + NamedTexts.trustedSenders.methods
        + NamedTexts.recentSearches.methods
}

enum ReadingMethods {
    private static let mostViews = 50

    /// Mail in a form that is safe to show. Each view is computed on request, so a call is limited to a few.
    @Sendable static func getViews(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.emailView.properties)
        let loadsRemote = try arguments.bool("loadRemote")
        // As in `Email/get`, 0 is no limit.
        let maxBytes = try arguments.unsignedInt("maxBodyValueBytes").flatMap { $0 == 0 ? nil : $0 }
        try arguments.finish()
        // Requests to other servers tell the sender that the message was read.
        if loadsRemote { try context.requireWriting() }
        let ids = try arguments.required(asked.ids, "ids")
        guard ids.count <= mostViews else { throw .tooManyObjects(mostViews) }
        let reading = context.kernel.reading
        let template = context.urls.download
        return try await context.get(.emailView, in: account.id, asked) {
            context, accountID, _ async throws(MethodError) in
            let views = try await context.reading { _ throws(StorageError) in
                try await reading.views(
                    of: ids.map { Id($0) }, in: accountID, loadsRemote: loadsRemote, maxBytes: maxBytes
                ) {
                    Self.address(of: $0, type: $1, name: $2, in: accountID, template)
                }
            }
            return views.map { ($0.id.rawValue, $0.json) }
        }
    }

    /// The download address of RFC 8620, section 2.
    private static func address(
        of blob: Id<Blob>, type: String, name: String, in account: Id<Account>, _ template: String
    ) -> String {
        template.replacing("{accountId}", with: escaped(account.rawValue))
            .replacing("{blobId}", with: escaped(blob.rawValue))
            .replacing("{name}", with: escaped(name.isEmpty ? "image" : name))
            .replacing("{type}", with: escaped(type))
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
            guard !isPlain else { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}

extension EmailView {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id.rawValue),
            "html": page.map { .string($0.html) } ?? .null,
            "hasQuote": .bool(page?.hasQuote ?? false),
            "blockedRemoteCount": .number(Double(page?.blockedRemoteCount ?? 0)),
            "blockedImageCount": .number(Double(page?.blockedImageCount ?? 0)),
            "refusedRemote": (page?.refused ?? SafeHTML.Refused()).json,
            "pendingImageCount": .number(Double(pendingImageCount)),
            "removedTrackerCount": .number(Double(page?.removedTrackerCount ?? 0)),
            "linkHosts": .array((page?.linkHosts ?? []).map { .string($0) }),
            "isTruncated": .bool(page?.isTruncated ?? false),
            "hasDeeperParts": .bool(hasDeeperParts),
            "isSenderTrusted": .bool(isSenderTrusted),
            "dangerousBlobIds": .array(risks.map { .string($0.blobID.rawValue) }),
            "attachmentRisks": .object(
                Dictionary(
                    risks.map { ($0.blobID.rawValue, .string($0.risk.sentence)) },
                    uniquingKeysWith: { first, _ in first })),
            "linkWarnings": .object(linkWarnings.mapValues { .string($0) }),
        ]
    }
}

extension SafeHTML.Refused {
    fileprivate var json: JSONValue {
        [
            "insecure": .number(Double(insecure)), "address": .number(Double(address)),
            "style": .number(Double(style)), "other": .number(Double(other)),
        ]
    }
}
