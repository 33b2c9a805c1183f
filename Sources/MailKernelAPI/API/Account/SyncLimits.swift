/// The most that a provider may return at once.
///
/// The kernel rejects a batch or listing beyond these limits, and the sync round fails. It skips and logs a
/// single message beyond them, like those of `ChangeBatch.failures`, and stores the rest of its batch.
public enum SyncLimits {
    /// Messages in one batch. Some hundred are a good size.
    public static let messages = 10_000
    /// Updates in one batch, and as many removals. High, because a service may report all its mail at once.
    public static let changes = 1_000_000
    /// Mailboxes in an account, and as many feeds.
    public static let mailboxes = 50_000
    /// Bytes in the id of a message, mailbox or feed. Ids are never empty.
    public static let idBytes = 255
    /// Bytes in a cursor.
    public static let cursorBytes = 65_536
    /// Levels of parts inside parts.
    public static let partDepth = 100
    /// Parts in one message.
    public static let parts = 10_000
}
