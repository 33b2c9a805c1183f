import FoundationEssentials
import MailKernelAPI

/// Change sets that a reader can tell to be there as a whole: each adds three emails, one of them an
/// answer to another, takes those of fifty sets before away, and notes its number.
struct NumberedWriting {
    private static let account = Id<Account>("home")
    private static let inbox = Id<Mailbox>("inbox")
    private static let key = DocumentKey("crasher", "number")
    private static let kept = 50

    private let store: any StorageBackend

    init(_ store: any StorageBackend) {
        self.store = store
    }

    func prepare() async throws {
        guard try await store.accounts().isEmpty else { return }
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        _ = try await store.commit(
            ChangeSet([
                .putAccount(
                    Account(
                        id: Self.account, pluginID: "test", address: "me@home.example", displayName: "Me",
                        addedAt: start)),
                .putMailbox(
                    Mailbox(id: Self.inbox, accountID: Self.account, name: "Inbox", role: .inbox)),
                .putDocument(Document(Self.key, value: 0)),
            ]))
    }

    /// Commits the next set and returns its number.
    func next() async throws -> Int {
        let number = (try await store.document(Self.key)?.value.intValue ?? 0) + 1
        var changes: [StorageChange] = [
            .putDocument(Document(Self.key, value: JSONValue.number(Double(number))))
        ]
        for letter in ["a", "b", "c"] { changes.append(email(number, letter)) }
        if number > Self.kept {
            for letter in ["a", "b", "c"] {
                changes.append(.destroyEmail(Id("e\(number - Self.kept)-\(letter)"), in: Self.account))
            }
        }
        _ = try await store.commit(ChangeSet(changes))
        try await writeBlob(number)
        return number
    }

    private func email(_ number: Int, _ letter: String) -> StorageChange {
        let id = "e\(number)-\(letter)"
        let header = EmailHeader(
            messageID: ["\(id)@mail.example"], inReplyTo: letter == "a" ? [] : ["e\(number)-a@mail.example"],
            from: [EmailAddress(name: "Anna", email: "anna@example.org")], subject: "Number \(number)")
        let email = Email(
            id: Id(id), accountID: Self.account, blobID: Id("blob-\(id)"), mailboxIDs: [Self.inbox],
            size: number, receivedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 4_000_000),
            header: header)
        let text = String(repeating: "word\(number) and some more ", count: 40)
        let part = EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain")
        return .putEmail(email, EmailBody(structure: part, values: ["1": EmailBodyValue(text)]))
    }

    /// One blob that every set replaces.
    private func writeBlob(_ number: Int) async throws {
        let blob = try await store.writeBlob(
            BlobInfo(id: Id("number"), accountID: Self.account, type: "text/plain", retention: .kept))
        try await blob.write(Data("\(number)".utf8))
        try await blob.finish()
    }
}
