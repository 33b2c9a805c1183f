import FoundationEssentials
import MailKernelAPI

/// One of everything, always the same: the content of `Tests/…/Fixtures/format-N`. See the note there.
struct SampleMail {
    private static let home = Id<Account>("home")
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    static func write(to store: any StorageBackend) async throws {
        _ = try await store.commit(ChangeSet(frame + mail + records))
        let blob = try await store.writeBlob(
            BlobInfo(id: Id("snapshot"), accountID: home, type: "message/rfc822", retention: .kept))
        try await blob.write(Data("To: anna@example.org\r\n\r\nHello".utf8))
        try await blob.finish()
        // A history with more than creations in it.
        _ = try await store.commit(
            ChangeSet([
                .updateEmail(EmailUpdate(Id("e2"), in: home, addKeywords: [.seen])),
                .destroyEmail(Id("e5"), in: home),
            ]))
    }

    private static let frame: [StorageChange] = [
        .putAccount(
            Account(
                id: home, pluginID: "test", address: "me@home.example", displayName: "Me", addedAt: start,
                settings: ["host": "imap.example", "port": 993])),
        .putMailbox(Mailbox(id: Id("inbox"), accountID: home, name: "Inbox", role: .inbox)),
        .putMailbox(Mailbox(id: Id("drafts"), accountID: home, name: "Drafts", role: .drafts)),
        .putMailbox(Mailbox(id: Id("work"), accountID: home, name: "Arbeit", parentID: Id("inbox"))),
    ]

    private static let mail: [StorageChange] = [
        email("e1", "Budget für Größe", "Zahlen und Wörter", in: ["inbox", "work"], keywords: [.seen]),
        email("e2", "Re: Budget für Größe", "<p>Danke &amp; Gruß</p>", type: "text/html", answers: "e1"),
        email("e3", "Встреча", "Завтра в десять"),
        email("e4", "会议", "明天十点"),
        email("e5", "To be removed", "Gone"),
        email("draft", "My draft", "Not yet sent", in: ["drafts"], keywords: [.draft]),
    ]

    private static let records: [StorageChange] = [
        .putIdentity(Identity(id: Id("me"), accountID: home, name: "Me", email: "me@home.example")),
        .putSubmission(
            EmailSubmission(
                id: Id("queued"), accountID: home, identityID: Id("me"), emailID: Id("draft"),
                snapshotBlobID: Id("snapshot"),
                envelope: Envelope(mailFrom: "me@home.example", rcptTo: ["anna@example.org"]), sendAt: start,
                queuedAt: start)),
        .putRemote(RemoteRef(emailID: Id("e1"), accountID: home, feed: FeedID("all"), remoteID: Id("17"))),
        .countContacts(
            [
                ContactSighting(
                    address: EmailAddress(name: "Anna Schmidt", email: "Anna@example.org"), seenAt: start)
            ], in: home),
        .putInsight(
            EmailInsight(
                emailID: Id("e1"), accountID: home, modelID: "model", category: .updates, isCorrected: true,
                summary: "Numbers", embedding: [0.6, 0.8])),
        .putDocument(Document(DocumentKey("settings", "theme"), value: "dark")),
    ]

    private static func email(
        _ id: String, _ subject: String, _ text: String, type: String = "text/plain", answers: String? = nil,
        in mailboxes: [String] = ["inbox"], keywords: Set<Keyword> = []
    ) -> StorageChange {
        let number = Double(id.utf8.last ?? 0)
        let header = EmailHeader(
            messageID: ["\(id)@mail.example"], inReplyTo: answers.map { ["\($0)@mail.example"] } ?? [],
            from: [EmailAddress(name: "Anna Schmidt", email: "anna@example.org")],
            to: [EmailAddress(email: "me@home.example")], subject: subject)
        let email = Email(
            id: Id(id), accountID: home, blobID: Id("blob-\(id)"), mailboxIDs: Set(mailboxes.map { Id($0) }),
            keywords: keywords, size: text.utf8.count, receivedAt: start + number * 86_400, header: header,
            preview: text)
        let part = EmailBodyPart(partID: "1", size: text.utf8.count, type: type)
        let headers = [HeaderField(name: "X-Sample", value: " of \(id)")]
        return .putEmail(
            email, EmailBody(headers: headers, structure: part, values: ["1": EmailBodyValue(text)]))
    }
}
