import Mail
import MailKernelAPI

extension RecordType {
    static let trustedSender = RecordType(
        "TrustedSender", .reading, of: .program, .stored(TrustedSenders.dataType), ["id", "email"])
    static let recentSearch = RecordType(
        "RecentSearch", .reading, of: .program, .stored(RecentSearches.dataType), ["id", "text"])
}

/// A list of texts that the user keeps, each with an id: it grows and shrinks, and nothing in it changes.
struct NamedTexts: RecordSetter, Sendable {
    let type: RecordType
    let property: String
    /// The problem with a text; nil if it is valid.
    let problem: @Sendable (String) -> String?
    let all: @Sendable (Reading) async throws(StorageError) -> [(id: String, text: String)]
    let add: @Sendable (Reading, String) async throws(StorageError) -> String
    let remove: @Sendable (Reading, String) async throws(StorageError) -> Void

    static let trustedSenders = NamedTexts(
        type: .trustedSender, property: "email",
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
        type: .recentSearch, property: "text",
        problem: { text in
            let isText = text.contains { !$0.isWhitespace } && text.utf8.count <= 1000
            return isText ? nil : "must be a text of 1 to 1000 bytes"
        },
        all: { reading throws(StorageError) in try await reading.recentSearches.all() },
        add: { reading, text throws(StorageError) in try await reading.recentSearches.add(text) },
        remove: { reading, id throws(StorageError) in try await reading.recentSearches.remove(id) })

    var methods: [Method] {
        [
            .get(type) { context, _, _ async throws(MethodError) in
                let reading = context.kernel.reading
                let texts = try await context.reading { _ throws(StorageError) in try await all(reading) }
                return texts.map { ($0.id, ["id": .string($0.id), property: .string($0.text)]) }
            },
            .set(type, with: self),
        ]
    }

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let text = try text(object)
        let reading = context.kernel.reading
        let id = try await SetError.wrapping { try await add(reading, text) }
        return (id, ["id": .string(id)])
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        try await check(id, context.kernel.reading)
        throw SetError("forbidden", "It can be destroyed, not changed.")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let reading = context.kernel.reading
        try await check(id, reading)
        try await SetError.wrapping { try await remove(reading, id) }
    }

    private func check(_ id: String, _ reading: Reading) async throws(SetError) {
        let isThere = try await SetError.wrapping { try await all(reading).contains { $0.id == id } }
        guard isThere else { throw .notFound }
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
}
