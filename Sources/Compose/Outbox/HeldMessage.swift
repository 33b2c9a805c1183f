import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// How a message that the service holds is found there, for taking it back.
struct HeldMessage: Codable, Sendable {
    private static let collection = "held-message"

    let submissionID: Id<EmailSubmission>
    let accountID: Id<Account>
    let messageID: String
    /// The user takes it back. Noted before the service is asked, so that it is carried through.
    var isTakenBack = false

    /// The change that keeps this, for a message that the service has just taken.
    static func noted(for submission: EmailSubmission, in store: MailStore) async throws -> [StorageChange] {
        guard submission.isHandedOver, submission.sendState == .sent,
            try await store.read.blobInfo(submission.snapshotBlobID, in: submission.accountID) != nil
        else { return [] }
        let message = try await StoredBlob(submission.snapshotBlobID, in: submission.accountID, store.read)
        guard let messageID = try await OutgoingMessage.messageID(of: message) else { return [] }
        let held = HeldMessage(
            submissionID: submission.id, accountID: submission.accountID, messageID: messageID)
        return [try held.change()]
    }

    static func load(
        _ id: Id<EmailSubmission>, _ accountID: Id<Account>, from store: MailStore
    ) async throws(StorageError) -> HeldMessage? {
        try await store.read.document(key(id, accountID))?.read(as: HeldMessage.self)
    }

    static func all(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [HeldMessage] {
        try await store.allDocuments(in: collection, accountID: accountID)
            .compactMap { $0.read(as: HeldMessage.self) }
    }

    func change() throws -> StorageChange {
        .putDocument(
            Document(Self.key(submissionID, accountID), value: try JSONValue(encoding: self)))
    }

    var removal: StorageChange { .destroyDocument(Self.key(submissionID, accountID)) }

    private static func key(_ id: Id<EmailSubmission>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}

extension EmailSubmission {
    /// The service has it, and delivers it at its time.
    func isHeld(at now: Date) -> Bool { isHandedOver && sendState == .sent && leavesAt > now }
}
