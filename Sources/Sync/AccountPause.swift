import FoundationEssentials
import MailKernelAPI
import Store

/// The user has paused an account: it is inactive, and stays so until the user resumes it.
///
/// Inactive accounts neither sync nor send, whatever kernel or version looks at them. This says why one is, as
/// `SignInProblem` does.
package struct AccountPause: Codable, Sendable, Hashable {
    private static let collection = "account-pause"
    /// Why mail waits to be sent.
    package static let sentence = "The account is paused. The message is sent after you resume it."

    package let since: Date

    package init(since: Date) { self.since = since }

    /// Nil if the account is not paused.
    package static func load(_ accountID: Id<Account>, from store: MailStore) async throws(StorageError)
        -> AccountPause?
    {
        try await store.read.document(key(accountID))?.read(as: AccountPause.self)
    }

    package func change(for accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    package static func ended(_ accountID: Id<Account>) -> StorageChange { .destroyDocument(key(accountID)) }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "pause", accountID: accountID)
    }
}
