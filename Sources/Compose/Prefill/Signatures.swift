import MailKernelAPI
import MessageFormat
import Store

/// What the messages of an identity end in. JMAP has one signature for all of them; the one for replies is kept beside
/// the identity.
package struct Signatures: Sendable {
    private static let collection = "reply-signature"

    private let store: MailStore

    package init(store: MailStore) {
        self.store = store
    }

    /// The signatures for replies and forwarded messages, as HTML, by identity. An identity without one has the same
    /// signature for all messages.
    package func forReplies(in accountID: Id<Account>) async throws(StorageError) -> [Id<Identity>: String] {
        let documents = try await store.allDocuments(in: Self.collection, accountID: accountID)
        var signatures: [Id<Identity>: String] = [:]
        for document in documents {
            if let html = document.value.stringValue { signatures[Id(document.key.name)] = html }
        }
        return signatures
    }

    /// Sets or, with nil, removes the signature for replies.
    package static func change(_ html: String?, of identity: Identity) -> StorageChange {
        let key = DocumentKey(collection, identity.id.rawValue, accountID: identity.accountID)
        return html.map { .putDocument(Document(key, value: .string($0))) } ?? .destroyDocument(key)
    }

    /// The element with which the user's text ends; empty for none.
    func html(of identity: Identity, isReply: Bool) async throws(StorageError) -> String {
        let own = isReply ? try await forReplies(in: identity.accountID)[identity.id] : nil
        let html = own.map { ComposedHTML($0).html } ?? Self.general(identity)
        return html.isEmpty ? "" : "<div class=\"moz-signature\">\(html)</div>"
    }

    private static func general(_ identity: Identity) -> String {
        identity.htmlSignature.isEmpty
            ? ComposedParagraphs.html(of: identity.textSignature) : ComposedHTML(identity.htmlSignature).html
    }
}
