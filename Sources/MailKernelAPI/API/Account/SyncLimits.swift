/// How much a provider may return at once, and how large a single value may be.
///
/// A batch or a listing beyond these limits is refused whole, and the round of the sync fails. A message beyond them is
/// set aside like one of `ChangeBatch.failures`, and the rest of its batch is stored.
public enum SyncLimits {
    /// Messages in one batch. Some hundred are a good size.
    public static let messages = 10_000
    /// Updates in one batch, and as many removals: a service may report all its mail at once.
    public static let changes = 1_000_000
    /// Mailboxes of an account, and as many feeds.
    public static let mailboxes = 50_000
    /// Bytes of the id of a message, a mailbox or a feed.
    public static let idBytes = 255
    /// Bytes of a cursor.
    public static let cursorBytes = 65_536
    /// How deep the parts of a message may be nested.
    public static let partDepth = 100
    /// Parts of one message.
    public static let parts = 10_000
}
