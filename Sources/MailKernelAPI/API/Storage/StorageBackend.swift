/// Keeps all of the program's data: in files on this device, or on a server.
///
/// **Calls.** The kernel calls `open` once and first, `close` once and last. In between it may call anything
/// from any task, several calls at a time. Commits are applied one after the other, in an order that is the
/// same for every reader. A reader never waits for a commit under way, and sees either none or all of it.
///
/// **Durability.** Results that a call has confirmed by returning survive `kill -9` and a power cut.
///
/// **Cancellation.** A call whose task is canceled may throw `.cancelled`, or finish. A commit then has
/// happened as a whole or not at all, and has not happened if it throws.
///
/// **Errors.** Every method may throw `.closed`, `.full`, `.unwritable`, `.unreadable`, `.unreachable` and
/// `.corrupt`; the comments of the methods name further ones. The kernel shows the user a sentence that names the store and
/// says what to do: free some space, check the permissions, restore or rebuild.
///
/// **Text.** Any `String` can be stored and comes back equal, even with NUL characters or a megabyte long. No
/// query is a syntax error.
///
/// Everything here is required, except for the `parts` and the `place`.
public protocol StorageBackend: MailReader, Sendable {
    /// Opens the store. Makes it if there is none, converts older formats, and replaces a damaged store, keeping
    /// a copy of it.
    ///
    /// - Throws: `.newerFormat` if a newer version of the program wrote the store: it stays as it is, and
    ///   the program stops with that sentence. `.inUse` if another process has the store open and it is not made
    ///   for several.
    func open() async throws(StorageError) -> StorageOpening

    /// Finishes commits under way and releases everything it holds. Later calls throw `.closed`. Closing twice
    /// is harmless.
    func close() async

    /// Applies the changes in order: all of them, or none if it throws.
    ///
    /// - Throws: `.stateMismatch` if a precondition of the set does not hold; `.leaseLost` if a lease of the set is
    ///   no longer held; `.notFound` if a change needs a
    ///   record that does not exist, or a mailbox of another account; `.invalid` if a record contradicts
    ///   itself (an email in no mailbox, a mailbox below itself).
    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult

    // MARK: Blobs

    /// Starts a new blob, which is invisible before `finish`. An unfinished one is removed, at the latest
    /// when the store is opened next.
    ///
    /// - Throws: `.notFound` if there is no such account. `finish` throws it if the account was removed
    ///   meanwhile.
    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter

    /// Deletes a blob's bytes. It is not an error if there are none.
    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError)

    // MARK: Removing

    /// Removes an account and everything that belongs to it: mailboxes, emails, threads, blobs, search
    /// entries, contacts, documents. When this returns, none of it can be recovered from where the store
    /// keeps it. Other accounts can be read meanwhile. It is not an error if there is no such account.
    func removeAccount(_ id: Id<Account>) async throws(StorageError)

    /// Deletes everything in the store, copies of damaged data included. The store is then closed; `open` makes a
    /// new one.
    func wipe() async throws(StorageError)

    // MARK: Parts

    /// The parts that the store has besides this. None by default.
    var parts: StorageParts { get }

    /// Where the data is, for the user. Always the same, also before `open`. This device by default.
    var place: StoragePlace { get }
}

extension StorageBackend {
    public var parts: StorageParts { StorageParts() }
    public var place: StoragePlace { .device }
}

/// Where a store keeps its data.
public enum StoragePlace: Sendable, Hashable, Codable {
    /// On this device.
    case device
    /// On a server, which can stop responding while the program runs. The kernel asks it every few seconds with
    /// `state`, and tells the user when it does not respond. `name` is a short name that the user knows it by, such as
    /// that of the host; never a password.
    case server(name: String)
}

/// The result of opening the store.
public enum StorageOpening: Sendable, Hashable, Codable {
    /// The store was there and is sound.
    case ready
    /// There was no store; a new one was made.
    case created
    /// The store had an older format and was converted.
    case migrated(from: Int, to: Int)
    /// The store was damaged, and a new one has what no service can restore, as far as it could be read: accounts,
    /// mailboxes, documents, unsent submissions, kept blobs, drafts, emails without a reference, and emails that a
    /// document names, with their references. `salvaged` counts the emails, submissions and documents. `copy` names
    /// the place of the damaged data for the user; nil if it was not kept.
    case recovered(copy: String?, salvaged: Int)
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
    /// There is no space left. Nothing was changed; the call works again when there is space.
    case full
    /// The store cannot be written. The user sees the reason, and is asked to check the store's permissions.
    case unwritable(reason: String)
    /// The store cannot be read. The user sees the reason, and is asked to check the store's permissions.
    case unreadable(reason: String)
    /// The store is damaged. Closing and opening again repairs or replaces it.
    case corrupt(reason: String)
    /// A newer version of the program wrote the store. It is left untouched, and the program stops.
    case newerFormat(found: Int, known: Int)
    /// Another process has the store open.
    case inUse
    /// A precondition of a change set does not hold; `current` is the state now. The kernel reads again and
    /// retries.
    case stateMismatch(DataType, current: State)
    /// Another kernel looks after the account of a lease by now. The kernel stops doing so.
    case leaseLost(StoreLease)
    /// The server that keeps the store does not respond. The user sees the reason; the call works again when the
    /// server does.
    case unreachable(reason: String)
    /// The state is unknown or too old to list the changes since. The kernel reads everything.
    case cannotCalculateChanges
    /// A record that the call needs does not exist. The text says which kind.
    case notFound(String)
    /// The anchor of a query is not among its results.
    case anchorNotFound
    /// The store has no part for this, or cannot be opened as it is set up. The text is a sentence for the user.
    case unsupported(String)
    /// The call contradicts itself or the store. The reason is for the log.
    case invalid(reason: String)
    /// The task was canceled.
    case cancelled
}
