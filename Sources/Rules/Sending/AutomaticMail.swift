import FoundationEssentials
import MailKernelAPI
import Store

/// A message that a rule sends. It is committed with the rule's other effects, and destroyed in the commit that puts the
/// message into the outbox: it is sent exactly once, whenever the program ends.
struct AutomaticMail: Codable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable {
        /// Sends the message on as it is.
        case redirect
        /// An automatic reply.
        case vacation
        /// Tells the sender that the message was refused.
        case reject
        /// Tells another address that the message has come.
        case notify
    }

    static let dataType = DataType.documents(collection)
    static let collection = "automatic-mail"

    /// The id of the submission that it becomes.
    let submissionID: Id<EmailSubmission>
    let kind: Kind
    /// The message that the rule was about.
    let emailID: Id<Email>
    let rule: String
    let to: [String]
    var from: String?
    var subject: String?
    var text = ""
    let createdAt: Date

    init(
        _ kind: Kind, _ submissionID: Id<EmailSubmission>, about emailID: Id<Email>, to: [String],
        rule: String, at date: Date
    ) {
        (self.kind, self.submissionID, self.emailID, self.to) = (kind, submissionID, emailID, to)
        (self.rule, createdAt) = (rule, date)
    }

    func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(Self.collection, submissionID.rawValue, accountID: accountID)
    }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(key(accountID), value: try JSONValue(encoding: self)))
    }
}

/// The number of messages that rules of an account sent on a day, which is limited: a mistake in a rule, or two programs
/// that answer each other, must not send mail without end.
struct AutomaticCount: Codable, Sendable, Hashable {
    static let collection = "automatic-count"
    /// For one account on one day.
    static let most = 100

    private(set) var day = 0
    private(set) var count = 0

    static func load(
        at now: Date, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> AutomaticCount {
        let known = try await store.read.document(key(accountID))?.read(as: AutomaticCount.self)
        let today = Int(now.timeIntervalSince1970 / 86_400)
        guard let known, known.day == today else { return AutomaticCount(day: today, count: 0) }
        return known
    }

    private init(day: Int, count: Int) { (self.day, self.count) = (day, count) }

    mutating func take(_ rule: String) throws(RuleFailure) {
        guard count < Self.most else {
            throw RuleFailure(
                rule: rule, sentence: "Rules already sent \(Self.most) messages today, which is the limit.")
        }
        count += 1
    }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "today", accountID: accountID)
    }
}
