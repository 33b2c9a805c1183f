public import FoundationEssentials

/// JMAP's filters for emails (RFC 8621, section 4.4.1), and two of the vendor's own.
///
/// A filter may be 64 levels deep and have 5,000 conditions. Throw `StorageError.invalid` for a larger one in
/// every call that takes a filter.
public indirect enum EmailFilter: Sendable, Hashable, Codable {
    /// All of these match; an empty list matches every email.
    case and([EmailFilter])
    /// At least one of these matches; an empty list matches no email.
    case or([EmailFilter])
    /// None of these matches; an empty list matches every email.
    case not([EmailFilter])

    /// Is in this mailbox.
    case inMailbox(Id<Mailbox>)
    /// Is in at least one mailbox that is not listed.
    case inMailboxOtherThan([Id<Mailbox>])
    /// Was received before this time.
    case before(Date)
    /// Was received at or after this time.
    case after(Date)
    /// Has at least this many bytes.
    case minSize(Int)
    /// Has fewer than this many bytes.
    case maxSize(Int)
    /// Has this keyword.
    case hasKeyword(Keyword)
    /// Does not have this keyword.
    case notKeyword(Keyword)
    /// Every email of its thread has this keyword.
    case allInThreadHaveKeyword(Keyword)
    /// At least one email of its thread, itself included, has this keyword.
    case someInThreadHaveKeyword(Keyword)
    /// No email of its thread has this keyword.
    case noneInThreadHaveKeyword(Keyword)
    /// Its `Email.hasAttachment` has this value.
    case hasAttachment(Bool)
    /// Every word of the text occurs, as a word or as the beginning of one, somewhere in from, to, cc, bcc,
    /// subject or body. Text that HTML markup hides is not part of a body. Case and diacritics make no
    /// difference.
    ///
    /// Words are runs of letters and digits. Words joined by signs without spaces, as in `anna@example.org`,
    /// must follow one another in one field, and only the last may be the beginning of a word. Text in double
    /// quotes is a phrase of whole words that follow one another; `\"` does not end it. Signs on their own,
    /// such as an emoji, `€` or `--`, must occur exactly; a store may search for them in the newest 10,000
    /// emails of an account only. Text with nothing but spaces matches every email. All of this holds for the
    /// next six filters too.
    case text(String)
    /// Like `text`, in From only.
    case from(String)
    /// Like `text`, in To only.
    case to(String)
    /// Like `text`, in Cc only.
    case cc(String)
    /// Like `text`, in Bcc only.
    case bcc(String)
    /// Like `text`, in the subject only.
    case subject(String)
    /// Like `text`, in the body only.
    case body(String)
    /// Has a header field of this name that contains `value`; any value if that is nil. Case makes no
    /// difference to either.
    case header(name: String, value: String?)
    /// Vendor: has this category. An email without an insight is `.uncategorized`, as all are in a store without
    /// `StorageInsights`.
    case category(EmailCategory)
    /// Vendor: is in a mailbox with this role, in any account.
    case inRole(Mailbox.Role)
}

/// The category that a model or the user gave an email.
public enum EmailCategory: String, Sendable, Codable, CaseIterable {
    /// Personal mail.
    case primary
    /// Messages from social networks.
    case social
    /// Advertising and offers.
    case promotions
    /// Receipts, bills, notifications.
    case updates
    /// Mailing lists and groups.
    case forums
    /// Not sorted yet.
    case uncategorized
}
