public import MailKernelAPI

/// A hit with its sort key, to merge the results of several accounts.
public struct QueryHit: Sendable {
    /// The value of one property that the query sorts by.
    public enum Key: Comparable, Sendable {
        /// Of a date, a size, a flag or the relevance.
        case number(Double)
        /// Of a name or a subject.
        case text(String)
    }

    /// The email's account.
    public var accountID: Id<Account>
    /// The email.
    public var emailID: Id<Email>
    /// The email's thread.
    public var threadID: Id<EmailThread>
    /// In the order of `EmailQuery.sort`.
    public var keys: [Key]

    public init(
        accountID: Id<Account>, emailID: Id<Email>, threadID: Id<EmailThread>, keys: [Key]
    ) {
        self.accountID = accountID
        self.emailID = emailID
        self.threadID = threadID
        self.keys = keys
    }

    var hit: EmailQueryResult.Hit {
        EmailQueryResult.Hit(accountID: accountID, emailID: emailID, threadID: threadID)
    }

    /// Puts results of several accounts, each in order, into one order.
    static func merge(_ lists: [[QueryHit]], by sort: [EmailSort]) -> [QueryHit] {
        guard lists.count > 1 else { return lists.first ?? [] }
        let directions = sort.isEmpty ? [false] : sort.map(\.isAscending)
        return lists.joined().sorted { one, other in
            for (index, isAscending) in directions.enumerated()
            where index < one.keys.count && one.keys[index] != other.keys[index] {
                return (one.keys[index] < other.keys[index]) == isAscending
            }
            return (one.emailID, one.accountID) < (other.emailID, other.accountID)
        }
    }
}

/// The position of an email in the order by date.
public struct QueryPlace: Sendable {
    /// When it was received, as the store counts time.
    public var received: Double
    /// The email.
    public var emailID: Id<Email>
    /// The email's account.
    public var accountID: Id<Account>

    public init(received: Double, emailID: Id<Email>, accountID: Id<Account>) {
        self.received = received
        self.emailID = emailID
        self.accountID = accountID
    }
}

/// Which emails of the order by date to read, seen from one of them.
public enum QuerySide: Sendable {
    /// Those before this email.
    case before(QueryPlace)
    /// This email and those after it.
    case fromOn(QueryPlace)
}

/// A query over one account, as a store evaluates it. `QueryRun` puts several together and finds the window.
public protocol AccountQuery {
    /// Whether the index of words finds the emails, in no order.
    var isLedByWords: Bool { get }

    /// Emails in the order of their date, from a place on or before it, nearest to it first.
    func byDate(_ side: QuerySide?, limit: Int, offset: Int) throws(StorageError) -> [QueryHit]

    /// The position of an email, if it is among the results.
    func place(of email: Id<Email>) throws(StorageError) -> QueryPlace?

    /// The number of results, or of those before a place.
    func count(_ side: QuerySide?) throws(StorageError) -> Int

    /// The results in the order of the query, at most `limit`, passed to `body` until it returns false.
    func each(limit: Int, _ body: (QueryHit) -> Bool) throws(StorageError)
}
