import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// The record that the user asked to be taken off a list.
package struct Unsubscription: Codable, Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "unsubscription"
    /// Lists may take some days to act. Mail that comes later is still being sent.
    package static let grace = 14 * 86_400.0

    package let list: MailingList
    package let kind: UnsubscribeMethod.Kind
    /// As `UnsubscribeMethod.target`.
    package let target: String
    package let at: Date
    /// The message that the user chose to do it from.
    package let emailID: Id<Email>
    /// What sends the message, and its draft, which is there again if it was taken back.
    package var submissionID: Id<EmailSubmission>?
    var draftID: Id<Draft>?

    /// Whether a message came so late that the list goes on.
    package func isIgnored(by receivedAt: Date) -> Bool { receivedAt >= at.addingTimeInterval(Self.grace) }

    static func all(in accountID: Id<Account>, _ store: MailStore) async throws(StorageError)
        -> [Unsubscription]
    {
        try await store.allDocuments(in: collection, accountID: accountID).compactMap {
            $0.read(as: Unsubscription.self)
        }
    }

    func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(Self.collection, ShortName.of(list.name), accountID: accountID)
    }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(key(accountID), value: try JSONValue(encoding: self)))
    }
}

/// Mail that one can be taken off: a list with an id, or all mail of a sender.
package struct MailingList: Codable, Sendable, Hashable {
    /// In lower case.
    package let sender: String
    package let id: String?

    init(_ header: EmailHeader, _ fields: UnsubscribeHeader) {
        sender = (header.from.first?.email ?? "").lowercased()
        id = fields.listID
    }

    var name: String { id.map { "list \($0)" } ?? "sender \(sender)" }

    /// One sender may have several lists, and some mailers leave out the id at times.
    func isSame(as other: MailingList) -> Bool {
        if let id, let otherID = other.id { return id == otherID }
        return sender == other.sender && !sender.isEmpty
    }
}
