import MailKernelAPI
import StoreRules

/// An email as the store holds it. Never changed, only replaced, so that versions of the store can
/// share it.
final class EmailRecord: Sendable {
    let email: Email
    let body: EmailBody
    let threadID: Id<EmailThread>
    let words: RecordWords
    /// What the record would take on a disk, about.
    let mailBytes: Int

    convenience init(_ email: Email, _ body: EmailBody, threadID: Id<EmailThread>) {
        self.init(
            email, body, threadID, RecordWords(SearchableText(email, body)),
            mailBytes: Self.bytes(of: email, body))
    }

    private init(
        _ email: Email, _ body: EmailBody, _ threadID: Id<EmailThread>, _ words: RecordWords, mailBytes: Int
    ) {
        self.email = email
        self.body = body
        self.threadID = threadID
        self.words = words
        self.mailBytes = mailBytes
    }

    var stored: StoredEmail { StoredEmail(email: email, threadID: threadID) }

    func inThread(_ id: Id<EmailThread>) -> EmailRecord {
        EmailRecord(email, body, id, words, mailBytes: mailBytes)
    }

    /// The same message with other keywords or mailboxes.
    func with(keywords: Set<Keyword>, mailboxIDs: Set<Id<Mailbox>>) -> EmailRecord {
        var changed = email
        changed.keywords = keywords
        changed.mailboxIDs = mailboxIDs
        return EmailRecord(changed, body, threadID, words, mailBytes: mailBytes)
    }

    func isSame(as other: EmailRecord) -> Bool {
        self === other || (stored == other.stored && body == other.body)
    }

    private static func bytes(of email: Email, _ body: EmailBody) -> Int {
        let fields = body.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let texts = body.values.values.reduce(0) { $0 + $1.value.utf8.count }
        let header = email.header
        let addresses = [header.from, header.to, header.cc, header.bcc].joined()
        let people = addresses.reduce(0) { $0 + $1.email.utf8.count + ($1.name?.utf8.count ?? 0) }
        return 200 + fields + texts + people + email.preview.utf8.count + (header.subject?.utf8.count ?? 0)
    }
}

extension Email {
    var isUnread: Bool {
        !keywords.contains(.seen) && !keywords.contains(.draft)
    }
}
