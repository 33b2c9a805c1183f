import MailKernelAPI
import Store

/// What a copy of a store records about itself, as documents that no store but a copy has.
struct ReplicaNotes {
    private static let collection = "replica"
    private static let complete = DocumentKey(collection, "complete")

    let copy: MailStore

    /// The state of the store that the copy has reached; nil if it has none.
    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State? {
        let key = Self.key(type, accountID)
        return try await copy.read.document(key)?.value.stringValue.map { State(rawValue: $0) }
    }

    static func reached(_ state: State, of type: DataType, in accountID: Id<Account>?) -> StorageChange {
        .putDocument(Document(key(type, accountID), value: .string(state.rawValue)))
    }

    /// Has all records of the type compared with the store.
    static func forgetting(_ type: DataType, in accountID: Id<Account>?) -> StorageChange {
        .destroyDocument(key(type, accountID))
    }

    private static func key(_ type: DataType, _ accountID: Id<Account>?) -> DocumentKey {
        DocumentKey(collection, type.rawValue, accountID: accountID)
    }

    /// Whether the copy has had all mail of its accounts once.
    var isComplete: Bool {
        get async throws(StorageError) {
            let accounts = try await copy.read.accounts()
            guard !accounts.isEmpty, try await copy.read.document(Self.complete) != nil else { return false }
            for account in accounts where try await state(of: .email, in: account.id) == nil { return false }
            return true
        }
    }

    func setComplete() async throws(StorageError) {
        guard try await copy.read.document(Self.complete) == nil else { return }
        try await copy.commit([.putDocument(Document(Self.complete, value: true))])
    }

    /// Has everything compared with the store again, after damage.
    func reset() async throws(StorageError) {
        var all = try await copy.allDocuments(in: Self.collection)
        for account in try await copy.read.accounts() {
            all += try await copy.allDocuments(in: Self.collection, accountID: account.id)
        }
        if !all.isEmpty { try await copy.commit(all.map { .destroyDocument($0.key) }) }
    }
}
