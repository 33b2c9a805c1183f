public import FoundationEssentials

/// The parts of a store that it may leave out; nil for those. They do not change while the store exists.
public struct StorageParts: Sendable {
    /// Keeps the results of models. Without it, mail is not sorted, summaries are made again for each reading, and
    /// search by meaning is off.
    public var insights: (any StorageInsights)?
    /// Cleans up. Without it, the kernel removes old mail with the core's methods, and tells the user that the store
    /// cannot report its size or clear its cache.
    public var care: (any StorageCare)?
    /// Lets several kernels work on the store. Without it, this kernel is the only one.
    public var sharing: (any StorageSharing)?

    public init(
        insights: (any StorageInsights)? = nil, care: (any StorageCare)? = nil,
        sharing: (any StorageSharing)? = nil
    ) {
        self.insights = insights
        self.care = care
        self.sharing = sharing
    }
}

/// The part of a store that reads what models made of emails. `StorageChange.putInsight` writes it; the kernel commits
/// that only to stores with this part.
///
/// Calls, errors and cancellation are those of `StorageBackend`.
public protocol StorageInsights: Sendable {
    /// The insights of these emails. Emails without one are left out.
    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailInsight]

    /// Emails that have no insight by this model, newest first, at most `limit`.
    func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) async throws(StorageError) -> [Id<Email>]

    /// The emails whose embeddings by this model are nearest to `vector`, best first, at most `limit`.
    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail]
}

/// The part of a store that measures, cleans up and repairs.
///
/// Calls, errors and cancellation are those of `StorageBackend`.
public protocol StorageCare: Sendable {
    /// How much room each account takes. Answers at once, whatever the size of the mail.
    func usage() async throws(StorageError) -> StorageUsage

    /// Removes cached blobs and, if asked, insights that can be made again. Mail, drafts, kept blobs and
    /// accounts stay. Returns the number of bytes freed.
    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int

    /// Removes emails that were received before `date`, have a reference (`putRemote`) and are in no mailbox
    /// with a role in `sparing`; at most `limit` of them, in a commit of its own. An email without a
    /// reference may exist in this store only, and stays. Returns the number removed; the kernel calls again
    /// until it is 0.
    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int

    /// Builds the full-text index again from the emails.
    func rebuildSearchIndex() async throws(StorageError)

    /// Checks the whole store for damage without changing it. Returns a sentence per problem; empty if it is
    /// sound.
    func check() async throws(StorageError) -> [String]
}
