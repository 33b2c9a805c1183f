import FoundationEssentials
import MailKernelAPI
import Store

/// A message that arrived in an inbox and waits for the rules of its account. It is committed with the message, and
/// destroyed in the commit with the rules' effects: a message gets its rules exactly once, whenever the program ends.
package struct Arrival: Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "arrival"

    package let emailID: Id<Email>
    let accountID: Id<Account>

    package var isOver: StorageChange { .destroyDocument(key) }
    var isWaiting: StorageChange { .putDocument(Document(key, value: true)) }

    private var key: DocumentKey { DocumentKey(Self.collection, emailID.rawValue, accountID: accountID) }

    /// Those that wait, oldest first, at most `limit`.
    package static func waiting(
        in accountID: Id<Account>, limit: Int, _ store: MailStore
    ) async throws(StorageError) -> [Arrival] {
        try await store.read.documents(in: collection, accountID: accountID, after: nil, limit: limit)
            .map { Arrival(emailID: Id($0.key.name), accountID: accountID) }
    }

    /// All messages of an account that wait.
    package static func waiting(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Set<Id<Email>> {
        Set(try await store.allDocuments(in: collection, accountID: accountID).map { Id($0.key.name) })
    }

    /// Whether a commit lets messages wait for rules.
    static func isAny(in changes: [StorageChange]) -> Bool {
        changes.contains {
            if case .putDocument(let document) = $0 { document.key.collection == collection } else { false }
        }
    }
}

/// Since when new mail of an account waits for rules.
package struct ArrivalWatch: Sendable {
    static let collection = "arrival-watch"

    /// Nil if the account has no rules.
    package static func since(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Date? {
        try await store.read.document(key(accountID))?.value.numberValue.map {
            Date(timeIntervalSince1970: $0)
        }
    }

    package static func begin(at date: Date, in accountID: Id<Account>) -> StorageChange {
        .putDocument(Document(key(accountID), value: .number(date.timeIntervalSince1970)))
    }

    package static func end(in accountID: Id<Account>) -> StorageChange { .destroyDocument(key(accountID)) }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "since", accountID: accountID)
    }
}

/// An arrived message, so that it is known when it comes again because another program moved it back into the inbox.
struct SeenArrival: Sendable {
    static let collection = "seen-arrival"

    let key: DocumentKey

    init(_ email: Email) {
        key = DocumentKey(Self.collection, Self.name(email), accountID: email.accountID)
    }

    /// A message keeps its bytes and its date when it is moved; another copy of it differs in one of them.
    static func name(_ email: Email) -> String {
        let second = Int(email.receivedAt.timeIntervalSince1970)
        return ShortName.of("\(second) \(email.size) \(MessageMark.mark(email))")
    }

    func change(at now: Date) -> StorageChange {
        .putDocument(Document(key, value: .number(now.timeIntervalSince1970)))
    }
}
