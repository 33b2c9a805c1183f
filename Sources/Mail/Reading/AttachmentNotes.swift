import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// The risks that only the bytes of attachments show. They are noted while a whole message is at hand, because its
/// attachments are not kept on this device.
package struct AttachmentNotes: Sendable {
    private static let collection = "attachment-risk"

    let store: MailStore
    let accountID: Id<Account>

    package init(store: MailStore, accountID: Id<Account>) {
        self.store = store
        self.accountID = accountID
    }

    /// Nil for most messages: there is nothing to note.
    package static func note(
        _ parsed: ParsedMessage, from message: Data, _ id: Id<Email>, in accountID: Id<Account>
    ) -> StorageChange? {
        let parts = BodyParts.split(parsed.body.structure).attachments.filter {
            AttachmentRisk.judge(name: $0.name, type: $0.type) == nil
        }
        guard !parts.isEmpty else { return nil }
        let contents = MessageParser().contents(of: parts.compactMap(\.partID), in: message)
        let risks = parts.compactMap { part -> (String, JSONValue)? in
            guard let name = part.partID, let content = contents[name] else { return nil }
            let risk = AttachmentRisk.judge(
                name: part.name, type: part.type, sample: FileSample(content.decoded))
            return (risk?.kind).map { (name, .string($0.rawValue)) }
        }
        guard !risks.isEmpty else { return nil }
        return .putDocument(
            Document(key(id, accountID), value: .object(Dictionary(risks) { first, _ in first })))
    }

    /// By part.
    func risks(of id: Id<Email>) async throws(StorageError) -> [String: AttachmentRisk] {
        guard case .object(let kinds)? = try await store.read.document(Self.key(id, accountID))?.value else {
            return [:]
        }
        return kinds.compactMapValues { kind in
            kind.stringValue.flatMap(AttachmentRisk.Kind.init(rawValue:)).map { AttachmentRisk(kind: $0) }
        }
    }

    /// Removes the notes on emails that are gone.
    package func removeOld() async throws(StorageError) {
        let notes = try await store.allDocuments(in: Self.collection, accountID: accountID)
        let ids = notes.map { Id<Email>($0.key.name) }
        let known = Set(try await store.read.emails(ids, in: accountID).map(\.email.id))
        let old = notes.filter { !known.contains(Id($0.key.name)) }
        if !old.isEmpty { try await store.commit(old.map { StorageChange.destroyDocument($0.key) }) }
    }

    private static func key(_ id: Id<Email>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}
