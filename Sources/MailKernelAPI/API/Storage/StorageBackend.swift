public import FoundationEssentials

/// Keeps everything the program knows, on this machine.
///
/// **Calls.** The kernel calls `open` once and first, `close` once and last. In between it may call
/// anything from any task, several at a time. Commits are applied one after the other, in an order
/// that every reader sees; a reader never waits for a commit under way and sees either none or all
/// of it.
///
/// **Durability.** What a call has confirmed by returning survives `kill -9` and a power cut.
///
/// **Cancellation.** A call whose task is cancelled may throw `CancellationError` wrapped as
/// `StorageError.cancelled`, or finish. A commit then has happened as a whole or not at all, and has
/// not happened when it throws.
///
/// **Errors.** Every method may throw `.closed`, `.full`, `.unwritable`, `.unreadable` and
/// `.corrupt`; what else is said at the method. The user sees a sentence of the kernel's that names
/// the store and what to do: free some space, look at the permissions, restore or rebuild.
///
/// **Text.** Any `String` can be stored and comes back equal, NUL characters and one-megabyte
/// subjects included. Nothing in a query can be a syntax error.
///
/// Nothing here is optional: a store that cannot do it all is of no use to the kernel.
public protocol StorageBackend: MailReader, Sendable {
    /// Opens the store, making it where there is none, bringing older formats up to date, and
    /// setting aside what is damaged.
    ///
    /// - Throws: `.newerFormat` if a newer program wrote the files: they are left as they are, and
    ///   the program stops with that sentence. `.inUse` if another process has it open.
    func open() async throws(StorageError) -> StorageOpening

    /// Finishes commits under way and gives back files and memory. Calls that come later throw
    /// `.closed`. Closing twice is harmless.
    func close() async

    /// Applies the changes in their order: all, or none if it throws.
    ///
    /// - Throws: `.stateMismatch` if a precondition of the set does not hold; `.notFound` if a
    ///   change needs a record that is not there; `.invalid` if a record contradicts itself (an
    ///   email in no mailbox, a mailbox below itself). A mailbox of another account is not there.
    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult

    /// The state of one type of one account. It changes whenever a record of that type does, and
    /// only then: writing what is there already changes nothing. `accountID` is nil for what belongs
    /// to no account, accounts among it.
    ///
    /// - Throws: `.notFound` if there is no such account.
    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State

    /// What was created, updated and destroyed since `state`, each id once, at most `limit` ids:
    /// `hasMoreChanges` then says that the rest is had by asking again from `newState`.
    ///
    /// What was created and destroyed since is left out. Whoever follows the answers page by page
    /// is told of each record's creation before its updates. Backends keep at least the last 10,000
    /// changes of each type and account.
    ///
    /// - Throws: `.cannotCalculateChanges` if `state` is unknown or too old; `.notFound` if there is
    ///   no such account; `.invalid` if `limit` is not positive.
    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) async throws(StorageError) -> Changes

    // MARK: Blobs

    /// Starts a new blob. Nobody sees it before `finish`; one left unfinished is removed, at the
    /// latest when the store is opened next.
    ///
    /// - Throws: `.notFound` if there is no such account; so does `finish`, if it was removed since.
    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter

    /// What is known of a blob, or nil if its bytes are not here.
    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo?

    /// Bytes of a blob, at most `count` from `offset` on. Reading a cached blob makes it the most
    /// recently used one.
    ///
    /// - Throws: `.notFound` if its bytes are not here.
    func readBlob(
        _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
    ) async throws(StorageError) -> Data

    /// Forgets a blob's bytes. There being none is not an error.
    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError)

    // MARK: Care

    /// How much room each account takes. Answers at once, whatever the size of the mail.
    func usage() async throws(StorageError) -> StorageUsage

    /// Removes cached blobs and, if asked, insights that can be made again. Mail, drafts, kept blobs
    /// and accounts stay. Returns how many bytes became free.
    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int

    /// Removes emails received before `date` that the service has by a name (`putRemote`) and that are in no
    /// mailbox with a role in `sparing`, at most `limit` of them, as a commit of its own. What has no name there
    /// may be here alone, and stays. Returns how many; call again until it is 0.
    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int

    /// Removes an account and everything of it: mailboxes, emails, threads, blobs, search entries,
    /// contacts, documents. When it returns, nothing of it is left or can be read from the files.
    /// Readers of other accounts are answered all the while. There being no such account is not an
    /// error.
    func removeAccount(_ id: Id<Account>) async throws(StorageError)

    /// Removes everything, files and all. The store is then closed; `open` makes a new one.
    func wipe() async throws(StorageError)

    /// Makes the full-text index anew from the emails.
    func rebuildSearchIndex() async throws(StorageError)

    /// Looks through the whole store for damage, without changing it. Empty when it is sound; else
    /// a sentence per finding.
    func check() async throws(StorageError) -> [String]
}

/// The result of opening the store.
public enum StorageOpening: Sendable, Hashable, Codable {
    /// The store was there and is sound.
    case ready
    /// There was no store; a new one was made.
    case created
    /// The store had an older format and was converted.
    case migrated(from: Int, to: Int)
    /// The store was damaged. Its files are kept at `setAside`, and a new store has everything that could be
    /// read. `salvaged` counts saved drafts, queued messages and settings.
    case recovered(setAside: String, salvaged: Int)
}

/// Receives the bytes of one new blob.
public protocol BlobWriter: ByteSink {
    /// Makes the blob durable and visible, replacing one with the same id.
    func finish() async throws

    /// Deletes the bytes written so far.
    func discard() async
}

/// Why a call to the store failed. The kernel shows the user a sentence that says what to do.
public enum StorageError: Error, Hashable, Codable {
    /// `open` was not called yet, or `close` was.
    case closed
    /// The disk is full. Nothing was changed; the call works again when there is space.
    case full
    /// The files or their folder cannot be written. The user sees the reason.
    case unwritable(reason: String)
    /// The files or their folder cannot be read. The user sees the reason.
    case unreadable(reason: String)
    /// The files are damaged. Closing and opening again sets them aside.
    case corrupt(reason: String)
    /// A newer version of the program wrote the files. They are left untouched, and the program stops.
    case newerFormat(found: Int, known: Int)
    /// Another process has the store open.
    case inUse
    /// A precondition of a change set does not hold; `current` is the state now. The kernel reads again and
    /// retries.
    case stateMismatch(DataType, current: State)
    /// The state is unknown or too old to list the changes since. The kernel reads everything.
    case cannotCalculateChanges
    /// A record that the call needs does not exist. The text says which kind.
    case notFound(String)
    /// The anchor of a query is not among its results.
    case anchorNotFound
    /// The call contradicts itself or the store. The reason is for the log.
    case invalid(reason: String)
    /// The task was canceled.
    case cancelled
}
