import FoundationEssentials
import MailKernelAPI
import Sieve
import Store

/// What the `duplicate` test has seen, for a time.
struct DuplicateMark: Sendable {
    static let collection = "duplicate-mark"
    /// If the script names no time.
    private static let usual = 7 * 86_400
    private static let longest = 90 * 86_400

    static func name(_ mark: SieveDuplicateMark) -> String { ShortName.of("\(mark.handle)\n\(mark.id)") }

    static func change(_ mark: SieveDuplicateMark, at now: Int, in accountID: Id<Account>) -> StorageChange {
        let until = now + min(mark.seconds ?? usual, longest)
        return .putDocument(Document(key(name(mark), accountID), value: .number(Double(until))))
    }

    /// The names of those that count at a time.
    static func current(
        at now: Date, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Set<String> {
        Set(
            try await store.allDocuments(in: collection, accountID: accountID)
                .filter { ($0.value.numberValue ?? 0) > now.timeIntervalSince1970 }.map(\.key.name))
    }

    private static func key(_ name: String, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, name, accountID: accountID)
    }
}

/// The senders who got an automatic reply, for a time.
struct VacationReply: Sendable {
    static let collection = "vacation-reply"

    let key: DocumentKey

    init(to sender: String, handle: String, in accountID: Id<Account>) {
        let name = ShortName.of("\(handle)\n\(sender.lowercased())")
        key = DocumentKey(Self.collection, name, accountID: accountID)
    }

    func isRemembered(at now: Date, _ store: MailStore) async throws(StorageError) -> Bool {
        let until = try await store.read.document(key)?.value.numberValue ?? 0
        return until > now.timeIntervalSince1970
    }

    func change(at now: Date, seconds: Int) -> StorageChange {
        .putDocument(Document(key, value: .number(now.timeIntervalSince1970 + Double(seconds))))
    }
}

/// Removes what is no longer remembered.
package struct RuleMemory: Sendable {
    let store: MailStore

    package init(store: MailStore) { self.store = store }

    package func removeOld(of accountID: Id<Account>, at now: Date) async throws(StorageError) {
        for collection in [DuplicateMark.collection, VacationReply.collection] {
            let old = try await store.allDocuments(in: collection, accountID: accountID)
                .filter { ($0.value.numberValue ?? 0) < now.timeIntervalSince1970 }
            for some in old.slices(of: 500) { try await store.commit(some.map { .destroyDocument($0.key) }) }
        }
        try await RuleNotice.removeOld(of: accountID, at: now, store)
    }
}
