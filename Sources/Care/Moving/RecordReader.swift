import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Reads everything that a store keeps, one portion after the other.
struct RecordReader: Sendable {
    /// No server delivers to a longer address, and not every store keeps one.
    private static let longestAddress = 1_000
    private static let portion = 200
    private static let mostContacts = 1_000_000

    let store: MailStore
    let readsInsights: Bool

    func portion(of task: MoveTask, after: String?) async throws -> RecordPortion {
        switch task {
        case .account(let id): RecordPortion(records: try await account(id))
        case .emails(let id):
            try await EmailReader(store: store, accountID: id, readsInsights: readsInsights)
                .portion(after: after)
        case .threads: RecordPortion()
        case .submissions(let id): RecordPortion(records: try await submissions(of: id))
        case .documents(let collection, let id):
            try await documents(in: collection, of: id, after: after)
        case .contacts: try await contacts(after: after)
        }
    }

    private func account(_ id: Id<Account>) async throws -> [MovedRecord] {
        guard let account = try await store.account(id) else { return [] }
        let mailboxes = Self.parentsFirst(try await store.read.mailboxes(nil, in: id))
        let identities = try await store.read.identities(nil, in: id)
        return [.account(account)] + mailboxes.map { .mailbox($0) } + identities.map { .identity($0) }
    }

    static func parentsFirst(_ mailboxes: [StoredMailbox]) -> [StoredMailbox] {
        var (sorted, placed, rest) = ([StoredMailbox](), Set<Id<Mailbox>>(), mailboxes)
        while !rest.isEmpty {
            let ready = rest.filter { $0.mailbox.parentID.map(placed.contains) ?? true }
            // Without their parents, the new store refuses them.
            guard !ready.isEmpty else { return sorted + rest }
            sorted += ready
            placed.formUnion(ready.map(\.mailbox.id))
            rest.removeAll { placed.contains($0.mailbox.id) }
        }
        return sorted
    }

    private func submissions(of id: Id<Account>) async throws -> [MovedRecord] {
        let all = try await store.read.submissions(nil, in: id)
        let blobs = try await store.keptBlobs(all.map(\.snapshotBlobID), in: id)
        return blobs.map { .blob($0) } + all.map { .submission($0) }
    }

    private func documents(
        in collection: String, of id: Id<Account>?, after: String?
    ) async throws -> RecordPortion {
        let page = try await store.read.documents(
            in: collection, accountID: id, after: after, limit: Self.portion)
        var records = page.map { MovedRecord.document($0) }
        if let id { records = try await store.blobs(of: page, in: id).map { .blob($0) } + records }
        return RecordPortion(
            records: records, next: page.count < Self.portion ? nil : page.last?.key.name)
    }

    /// - Parameter after: how many came before.
    private func contacts(after: String?) async throws -> RecordPortion {
        let all = try await contacts()
        let start = after.flatMap { Int($0) } ?? 0
        let page = all.dropFirst(start).prefix(Self.portion)
        return RecordPortion(
            records: page.map { .contact($0) }, next: page.isEmpty ? nil : "\(start + page.count)")
    }

    func contacts() async throws -> [Contact] {
        try await store.read.contacts(matching: "", limit: Self.mostContacts)
            .filter { $0.email.utf8.count <= Self.longestAddress }
    }
}

extension MailStore {
    /// The blobs that documents name.
    func blobs(of documents: [Document], in accountID: Id<Account>) async throws -> [BlobInfo] {
        let names = Set(documents.flatMap { $0.value.texts + [$0.key.name] })
        return try await keptBlobs(names.sorted().map { Id($0) }.filter(\.isValid), in: accountID)
    }

    /// The blobs among these that exist nowhere else.
    func keptBlobs(_ ids: [Id<Blob>], in accountID: Id<Account>) async throws -> [BlobInfo] {
        try await ids.inParallel { id in try await read.blobInfo(id, in: accountID) }
            .compactMap { $0 }.filter { $0.retention == .kept }
    }
}

extension JSONValue {
    /// All strings in it.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let values): values.flatMap(\.texts)
        case .object(let values): values.values.flatMap(\.texts)
        case .null, .bool, .number: []
        }
    }
}

extension Collection where Element: Sendable {
    /// The answers in the order of the elements. A store has its own limit of calls at a time.
    func inParallel<Answer: Sendable>(
        _ body: @escaping @Sendable (Element) async throws -> Answer
    ) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for (index, element) in enumerated() {
                group.addTask { (index, try await body(element)) }
            }
            var answers: [Int: Answer] = [:]
            for try await (index, answer) in group { answers[index] = answer }
            return (0..<count).compactMap { answers[$0] }
        }
    }
}
