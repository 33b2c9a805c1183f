import FoundationEssentials
import MailKernelAPI

/// The people, mailboxes and messages that the storage cases are about.
enum Fixture {
    static let home = Id<Account>("home")
    static let work = Id<Account>("work")
    static let inbox = Id<Mailbox>("inbox")
    static let archive = Id<Mailbox>("archive")
    static let trash = Id<Mailbox>("trash")
    static let drafts = Id<Mailbox>("drafts")
    static let gmail = FeedID("all-mail")

    /// Day 0 of every case.
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    static func day(_ number: Double) -> Date {
        start + number * 86_400
    }

    static func account(_ id: Id<Account>, cacheLimit: Int = 500_000_000) -> Account {
        Account(
            id: id, pluginID: "test", address: "me@\(id).example", displayName: "Me",
            attachmentCacheLimit: cacheLimit, addedAt: start,
            settings: ["port": 993, "host": "imap.example"])
    }

    /// An account with an inbox, an archive, drafts and a trash.
    static func changes(toAdd id: Id<Account>) -> [StorageChange] {
        [
            .putAccount(account(id)),
            .putMailbox(mailbox(inbox, in: id, role: .inbox)),
            .putMailbox(mailbox(archive, in: id)),
            .putMailbox(mailbox(drafts, in: id, role: .drafts)),
            .putMailbox(mailbox(trash, in: id, role: .trash)),
        ]
    }

    static func mailbox(
        _ id: Id<Mailbox>, in accountID: Id<Account> = home, parent: Id<Mailbox>? = nil,
        role: Mailbox.Role? = nil
    ) -> Mailbox {
        Mailbox(id: id, accountID: accountID, name: "Mailbox \(id)", parentID: parent, role: role)
    }

    /// A message that is connected with no other unless it is told to be.
    static func email(
        _ id: String, day: Double = 0, in mailboxIDs: Set<Id<Mailbox>> = [inbox],
        of accountID: Id<Account> = home, keywords: Set<Keyword> = [], subject: String? = nil,
        from: String = "Anna <anna@example.org>", to: String = "me@home.example", size: Int = 1_000,
        inReplyTo: [String] = [], references: [String] = []
    ) -> Email {
        Email(
            id: Id(id), accountID: accountID, blobID: Id("blob-\(id)"), mailboxIDs: mailboxIDs,
            keywords: keywords, size: size, receivedAt: Self.day(day),
            header: EmailHeader(
                messageID: ["\(id)@mail.example"], inReplyTo: inReplyTo, references: references,
                from: [address(from)], to: [address(to)], subject: subject ?? "About \(id)",
                sentAt: Self.day(day) - 60),
            preview: "Preview of \(id)")
    }

    /// "Name <address>" or "address".
    static func address(_ text: String) -> EmailAddress {
        guard let open = text.firstIndex(of: "<") else { return EmailAddress(email: text) }
        let name = text[..<open].split(separator: " ").joined(separator: " ")
        return EmailAddress(name: name, email: String(text[text.index(after: open)...].dropLast()))
    }

    static func body(_ text: String, html: String? = nil, headers: [HeaderField] = []) -> EmailBody {
        let plain = EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain", charset: "utf-8")
        guard let html else {
            return EmailBody(headers: headers, structure: plain, values: ["1": EmailBodyValue(text)])
        }
        let rich = EmailBodyPart(partID: "2", size: html.utf8.count, type: "text/html", charset: "utf-8")
        return EmailBody(
            headers: headers,
            structure: EmailBodyPart(type: "multipart/alternative", subParts: [plain, rich]),
            values: ["1": EmailBodyValue(text), "2": EmailBodyValue(html)])
    }

    static func identity(_ id: String, of accountID: Id<Account> = home, name: String = "Me") -> Identity {
        Identity(
            id: Id(id), accountID: accountID, name: name, email: "me@home.example",
            replyTo: [EmailAddress(name: "Reply", email: "reply@home.example")],
            bcc: [EmailAddress(email: "copy@home.example")], textSignature: "--\nMe",
            htmlSignature: "<b>Me</b>", mayDelete: true)
    }

    static func submission(
        _ id: String, of accountID: Id<Account> = home, queued day: Double = 0
    ) -> EmailSubmission {
        EmailSubmission(
            id: Id(id), accountID: accountID, identityID: Id("me"), emailID: Id("draft"),
            snapshotBlobID: Id("snapshot"),
            envelope: Envelope(mailFrom: "me@home.example", rcptTo: ["anna@example.org"]),
            sendAt: Self.day(day) + 10, queuedAt: Self.day(day))
    }

    static func sighting(_ address: String, day: Double = 0) -> ContactSighting {
        ContactSighting(address: Self.address(address), seenAt: Self.day(day))
    }

    static func insight(
        _ emailID: String, by modelID: String = "model", _ category: EmailCategory = .primary,
        isCorrected: Bool = false, embedding: [Float] = []
    ) -> EmailInsight {
        EmailInsight(
            emailID: Id(emailID), accountID: home, modelID: modelID, category: category,
            isCorrected: isCorrected, summary: "Summary of \(emailID)", embedding: embedding)
    }
}
