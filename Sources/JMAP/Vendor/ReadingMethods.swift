import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

extension Method {
    static let reading = [
        Method("EmailView/get", .reading, ReadingMethods.getViews),
        Method("TrustedSender/get", .reading) { context, arguments async throws(MethodError) in
            try await NamedTexts.trustedSenders.get(&context, &arguments)
        },
        Method("TrustedSender/set", .reading) { context, arguments async throws(MethodError) in
            try await NamedTexts.trustedSenders.set(&context, &arguments)
        },
        Method("RecentSearch/get", .reading) { context, arguments async throws(MethodError) in
            try await NamedTexts.recentSearches.get(&context, &arguments)
        },
        Method("RecentSearch/set", .reading) { context, arguments async throws(MethodError) in
            try await NamedTexts.recentSearches.set(&context, &arguments)
        },
    ]
}

enum ReadingMethods {
    static let viewProperties = [
        "id", "html", "hasQuote", "blockedRemoteCount", "blockedImageCount", "refusedRemote",
        "removedTrackerCount", "linkHosts", "isTruncated", "isSenderTrusted", "dangerousBlobIds",
        "attachmentRisks", "linkWarnings",
    ]
    private static let mostViews = 50

    /// Mail in a form that is safe to show. Each view is computed on request, so a call is limited to a few.
    @Sendable static func getViews(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: viewProperties)
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
        let views = try await context.reading { _ throws(StorageError) in
            try await reading.views(
                of: ids.map { Id($0) }, in: account.id, loadsRemote: loadsRemote, maxBytes: maxBytes
            ) {
                Self.address(of: $0, type: $1, name: $2, in: account.id, template)
            }
        }
        let state = try await context.state(of: .email, in: account.id)
        return try asked.answer(
            in: account.id, state: state.rawValue, views.map { ($0.id.rawValue, $0.json) })
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
            "removedTrackerCount": .number(Double(page?.removedTrackerCount ?? 0)),
            "linkHosts": .array((page?.linkHosts ?? []).map { .string($0) }),
            "isTruncated": .bool(page?.isTruncated ?? false),
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

/// A list of texts that the user keeps, each with an id: it grows and shrinks, and nothing in it changes.
private struct NamedTexts: Sendable {
    let property: String
    let dataType: DataType
    /// The problem with a text; nil if it is valid.
    let problem: @Sendable (String) -> String?
    let all: @Sendable (Reading) async throws(StorageError) -> [(id: String, text: String)]
    let add: @Sendable (Reading, String) async throws(StorageError) -> String
    let remove: @Sendable (Reading, String) async throws(StorageError) -> Void

    static let trustedSenders = NamedTexts(
        property: "email", dataType: TrustedSenders.dataType,
        problem: { text in
            let isAddress = text.contains("@") && text.utf8.count <= 320 && !text.contains { $0.isWhitespace }
            return isAddress ? nil : "must be an email address"
        },
        all: { reading throws(StorageError) in
            try await reading.trustedSenders.all().map { ($0.id, $0.email) }
        },
        add: { reading, text throws(StorageError) in try await reading.trustedSenders.add(text) },
        remove: { reading, id throws(StorageError) in try await reading.trustedSenders.remove(id) })

    static let recentSearches = NamedTexts(
        property: "text", dataType: RecentSearches.dataType,
        problem: { text in
            let isText = text.contains { !$0.isWhitespace } && text.utf8.count <= 1000
            return isText ? nil : "must be a text of 1 to 1000 bytes"
        },
        all: { reading throws(StorageError) in try await reading.recentSearches.all() },
        add: { reading, text throws(StorageError) in try await reading.recentSearches.add(text) },
        remove: { reading, id throws(StorageError) in try await reading.recentSearches.remove(id) })

    func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: ["id", property])
        try arguments.finish()
        let state = try await context.state(of: dataType, in: nil)
        let records = try await records(context).filter { asked.ids?.contains($0.id) ?? true }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue,
            records.map { ($0.id, ["id": .string($0.id), property: .string($0.text)]) })
    }

    func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: dataType, in: nil)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        let reading = context.kernel.reading
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let text = try text(object)
                let id = try await SetError.wrapping { try await add(reading, text) }
                context.createdIDs[creationID] = id
                answer.created[creationID] = ["id": .string(id)]
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        let there = Set(try await records(context).map(\.id))
        for (id, _) in asked.updates(context) {
            answer.notUpdated[id] =
                there.contains(id) ? SetError("forbidden", "It can be destroyed, not changed.") : .notFound
        }
        for id in asked.destroys(context) {
            do throws(SetError) {
                guard there.contains(id) else { throw SetError.notFound }
                try await SetError.wrapping { try await remove(reading, id) }
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        let newState = try await context.state(of: dataType, in: nil)
        return answer.json(in: ProgramAccount.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private func text(_ object: [String: JSONValue]) throws(SetError) -> String {
        if let unknown = object.keys.sorted().first(where: { $0 != property }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard let text = object[property]?.stringValue else {
            throw .invalidProperty(property, "must be a string")
        }
        if let problem = problem(text) { throw .invalidProperty(property, problem) }
        return text
    }

    private func records(
        _ context: RequestContext
    ) async throws(MethodError) -> [(id: String, text: String)] {
        let reading = context.kernel.reading
        return try await context.reading { _ throws(StorageError) in try await all(reading) }
    }
}
