import FoundationEssentials
import MailKernelAPI
import Store

/// An additional step of a sync round, besides sending changes and reading new ones.
package protocol RoundStep: Sendable {
    /// The same step with another view of the store.
    func with(_ store: MailStore) -> any RoundStep

    /// What leads to a round when another kernel has written it.
    var types: Set<DataType> { get }

    /// Runs after the changes were told, and before anything is read.
    ///
    /// - Returns: when the next round is due because of it.
    /// - Throws: only if nothing can be done for the account for now.
    func push(_ account: Account, _ session: any AccountSession) async throws -> Date?

    /// Runs when all there is has been read, but for `unread`.
    func wasRead(_ account: Account, except unread: UnreadFeeds) async throws

    /// The account has moved to another place: what its messages were called before means nothing there. May run again.
    func placeWasLeft(_ accountID: Id<Account>) async throws

    /// The emails that this step is bringing to the service.
    func underWay(in accountID: Id<Account>) async throws(StorageError) -> Set<Id<Email>>
}
