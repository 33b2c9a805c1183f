/// The part of a store that several kernels open at once, such as one on a server.
///
/// All kernels read and commit. One of them at a time looks after an account: it syncs, sends and applies rules. That
/// kernel holds the account's lease and names it in its commits (`ChangeSet.leases`), so that a kernel that lost its
/// turn without noticing changes nothing.
///
/// Calls, errors and cancellation are those of `StorageBackend`.
public protocol StorageSharing: Sendable {
    /// States that other kernels changed from now on, until the reading task is canceled or the store is closed.
    ///
    /// States in between may be left out; the newest of each type comes within a second. If news was missed, for example
    /// on a lost connection, the stream continues with the current states of everything that may have changed.
    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]>

    /// Takes an account's lease for this kernel; nil if another kernel holds it. A kernel that holds it gets the same
    /// lease again.
    ///
    /// The store keeps the lease alive until it is released or the store is closed. The lease of a kernel that cannot be
    /// reached any more becomes free within 10 seconds.
    ///
    /// - Throws: `.notFound` if there is no such account.
    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease?

    /// Returns a lease, so that another kernel can take it at once. It is not an error if it was lost.
    func releaseLease(_ lease: StoreLease) async throws(StorageError)
}

/// A kernel's turn at looking after an account.
public struct StoreLease: Sendable, Hashable, Codable {
    /// The account.
    public var accountID: Id<Account>
    /// Made by the store. Grows whenever the lease goes to another kernel.
    public var fence: Int

    public init(accountID: Id<Account>, fence: Int) {
        self.accountID = accountID
        self.fence = fence
    }
}
