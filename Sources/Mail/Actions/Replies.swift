import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// Finds the reply to a message that the user sent.
struct Replies: Sendable {
    let store: MailStore
    let own: OwnAddresses
    /// Those of the account alone.
    private let ownHere: OwnAddresses
    let places: Places

    init(in accountID: Id<Account>, _ places: Places, _ store: MailStore) async throws(StorageError) {
        own = try await OwnAddresses.load(from: store)
        ownHere = try await OwnAddresses.load(from: store, only: accountID)
        (self.places, self.store) = (places, store)
    }

    /// Whether a person other than the user has written in the conversation since the message was sent. Drafts, Spam,
    /// automatic answers and bounces do not count.
    ///
    /// - Parameter thread: the messages of the conversation.
    func isThereOne(to message: Email, sentAt: Date, in thread: [Email]) async throws(StorageError) -> Bool {
        let conversation = Conversation(emails: thread, mailboxID: nil, places: places)
        for email in thread
        where email.id != message.id && !conversation.isDraft(email) && !conversation.isIn(email, [.junk])
            && !isOwn(email, answering: message) && isLater(email, message, sentAt)
        {
            let fields = try await store.read.body(of: email.id, in: email.accountID)?.headers ?? []
            if !AutomaticMail.isAutomatic(email.header, fields) { return true }
        }
        return false
    }

    /// Whether it was sent from this account.
    func isOwn(_ email: Email) -> Bool { email.header.from.contains(where: ownHere.contains) }

    /// A message that users send to another account of theirs can be answered from there.
    private func isOwn(_ email: Email, answering message: Email) -> Bool {
        let header = message.header
        let recipients = Set((header.to + header.cc + header.bcc).map(\.key))
        return email.header.from.contains { author in
            ownHere.contains(author) || own.contains(author) && !recipients.contains(author.key)
        }
    }

    /// The clocks of a service and of this computer may differ, so a message that names this one is later, too.
    private func isLater(_ email: Email, _ message: Email, _ sentAt: Date) -> Bool {
        if email.receivedAt > sentAt { return true }
        let named = Set(email.header.inReplyTo + email.header.references)
        return message.header.messageID.contains(where: named.contains)
    }
}

/// Answers that no person has written: out-of-office replies, receipts and bounces.
enum AutomaticMail {
    /// Words count at the beginning of a field only: a header can have any length.
    private static let most = 200
    private static let programs = ["mailer-daemon", "postmaster"]
    private static let marks: Set<String> = ["x-autoreply", "x-autorespond", "x-failed-recipients"]

    static func isAutomatic(_ header: EmailHeader, _ fields: [HeaderField]) -> Bool {
        guard let author = header.from.first?.email.lowercased(), !author.isEmpty else { return true }
        if programs.contains(String(author.prefix { $0 != "@" })) { return true }
        return fields.contains { field in
            let name = field.name.utf8.count <= 40 ? field.name.lowercased() : ""
            let value = field.value.prefix(most).lowercased().filter { !$0.isWhitespace }
            return switch name {
            case "auto-submitted": !value.isEmpty && value != "no" && !value.hasPrefix("no;")
            case "content-type": value.hasPrefix("multipart/report")
            case "return-path": value == "<>"
            case "precedence": value == "auto_reply"
            default: marks.contains(name)
            }
        }
    }
}
