import Foundation
import MailKernelAPI
import Store
import TestSupport

/// A store with everything that a store can hold, made from a seed.
struct MovedContent {
    static let ada = Id<Account>("ada")
    static let bob = Id<Account>("bob")
    static let start = Date(timeIntervalSince1970: 1_700_000_000.25)
    /// Is in memory in more than one piece.
    static let largeBlob = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

    let store: MailStore
    private var random: SeededRandom

    /// - Parameter emails: in the first account.
    static func fill(_ store: MailStore, emails: Int, seed: UInt64 = 1) async throws {
        var content = MovedContent(store: store, random: SeededRandom(seed))
        for id in [ada, bob] { try await content.addAccount(id) }
        try await content.addEmails(emails, to: ada)
        try await content.addEmails(3, to: bob)
        try await content.addBrokenThread()
        try await content.addOutbox()
        try await content.addDocuments()
        try await content.addContacts()
    }

    private func addAccount(_ id: Id<Account>) async throws {
        try await store.commit([
            .putAccount(
                Account(
                    id: id, pluginID: "test", address: "\(id)@example.org", displayName: "A\u{0}B",
                    addedAt: Self.start, settings: ["port": 993, "host": "imap.example"])),
            // Sorted before its parent.
            .putMailbox(Mailbox(id: Id("z"), accountID: id, name: "Parent", sortOrder: 9)),
            .putMailbox(Mailbox(id: Id("inbox"), accountID: id, name: "Inbox", role: .inbox, sortOrder: 5)),
            .putMailbox(
                Mailbox(id: Id("a"), accountID: id, name: "Child", parentID: Id("z"), rights: .readItems)),
            .putIdentity(Identity(id: Id("me"), accountID: id, name: "Me", email: "\(id)@example.org")),
        ])
    }

    private mutating func addEmails(_ count: Int, to id: Id<Account>) async throws {
        for number in 0..<count {
            let email = randomEmail("e\(number)", id)
            try await store.commit([
                .putEmail(email, body(of: number)),
                .putRemote(
                    RemoteRef(
                        emailID: email.id, accountID: id, feed: Id("feed"), remoteID: Id("ü\(number)"))),
                .putInsight(
                    EmailInsight(
                        emailID: email.id, accountID: id, modelID: "m", category: .social,
                        isCorrected: number.isMultiple(of: 2), summary: "S", embedding: [0.1, 0.3])),
            ])
        }
        try await write(Id("Be1"), Data("kept".utf8), .kept, in: id)
        try await write(Id("Be2"), Data("cached".utf8), .cached, in: id)
    }

    private mutating func randomEmail(_ name: String, _ id: Id<Account>) -> Email {
        let mailboxes: [Id<Mailbox>] = [Id("inbox"), Id("a"), Id("z")]
        let number = Int.random(in: 0..<1_000, using: &random)
        return Email(
            id: Id(name), accountID: id, blobID: Id("B" + name),
            mailboxIDs: Set([mailboxes[number % 3], mailboxes[number % 2]]),
            keywords: [[.seen, Keyword("x")], [.flagged], []][number % 3], size: number,
            // Many at one time.
            receivedAt: Self.start + Double(number / 100),
            header: EmailHeader(
                messageID: ["\(name)@test"],
                inReplyTo: number.isMultiple(of: 2) ? ["e\(number % 40)@test"] : [],
                from: [EmailAddress(name: "P", email: "P\(number % 9)@example.org")],
                subject: "Number \(number)"),
            preview: "P")
    }

    private func body(of number: Int) -> EmailBody {
        let part = EmailBodyPart(partID: "1", blobID: Id("Be\(number)_1"), size: 1, type: "text/plain")
        let text = String(repeating: "word \(number)\u{0}", count: 1 + number % 7)
        return EmailBody(
            headers: [HeaderField(name: "X", value: " \(number)")], structure: part,
            values: ["1": EmailBodyValue(text)])
    }

    /// The message that connected two others is gone.
    private func addBrokenThread() async throws {
        func email(_ id: String, answers: [String]) -> StorageChange {
            .putEmail(
                Email(
                    id: Id(id), accountID: Self.ada, blobID: Id("B" + id), mailboxIDs: [Id("inbox")], size: 1,
                    receivedAt: Self.start,
                    header: EmailHeader(messageID: ["\(id)@test"], inReplyTo: answers)),
                body(of: 1))
        }
        try await store.commit([
            email("first", answers: []), email("last", answers: []),
            email("middle", answers: ["first@test", "last@test"]), .destroyEmail(Id("middle"), in: Self.ada),
        ])
    }

    private func addOutbox() async throws {
        let thread = try await store.read.emails([Id("e0")], in: Self.ada).first?.threadID
        try await write(Id("snapshot"), Data("Subject: x".utf8), .kept, in: Self.ada)
        try await store.commit([
            .putSubmission(
                EmailSubmission(
                    id: Id("s"), accountID: Self.ada, identityID: Id("me"), emailID: Id("e0"),
                    threadID: thread,
                    snapshotBlobID: Id("snapshot"), envelope: Envelope(mailFrom: "a@b", rcptTo: ["c@d"]),
                    sendAt: Self.start, queuedAt: Self.start,
                    deliveryStatus: ["c@d": DeliveryStatus(smtpReply: "250", delivered: .yes)]))
        ])
    }

    private func addDocuments() async throws {
        try await write(Id("U1"), Self.largeBlob, .kept, in: Self.ada)
        try await write(Id("U2"), Data(), .kept, in: Self.ada)
        let draft: JSONValue = ["attachments": [["keptAs": "U1", "size": 2.5]], "text": "Hello, U3"]
        try await store.commit(
            [
                .putDocument(Document(DocumentKey("draft", "d1", accountID: Self.ada), value: draft)),
                .putDocument(Document(DocumentKey("upload", "U2", accountID: Self.ada), value: 7)),
                .putDocument(Document(DocumentKey("sync-cursor", "feed", accountID: Self.bob), value: "c")),
            ]
                + (0..<450).map { number in
                    .putDocument(Document(DocumentKey("preference", "p\(number)"), value: [nil, true]))
                })
    }

    /// One person is known to both accounts, and one to neither mailbox.
    private func addContacts() async throws {
        for (id, count) in [(Self.ada, 5), (Self.bob, 9)] {
            let sightings = (0..<count).map { number in
                ContactSighting(
                    address: EmailAddress(name: "N\(number)", email: "p1@example.org"),
                    seenAt: Self.start + Double(number))
            }
            try await store.commit([.countContacts(sightings, in: id)])
        }
        let stranger = ContactSighting(address: EmailAddress(email: "gone@example.org"), seenAt: Self.start)
        try await store.commit([.countContacts([stranger], in: Self.bob)])
    }

    private func write(
        _ blob: Id<Blob>, _ bytes: Data, _ retention: BlobInfo.Retention, in id: Id<Account>
    ) async throws {
        let info = BlobInfo(id: blob, accountID: id, type: "a/b", name: "ü", retention: retention)
        let writer = try await store.writeBlob(info)
        try await writer.write(bytes)
        try await writer.finish()
    }
}
