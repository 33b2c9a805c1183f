import MailKernelAPI
import MessageFormat
import Store

/// The senders whose remote images load without asking.
package struct TrustedSenders: Sendable {
    package static let dataType = DataType.documents(collection)
    private static let collection = "trusted-sender"

    let store: MailStore
    let ids: IDMaker

    /// By address.
    package func all() async throws(StorageError) -> [(id: String, email: String)] {
        try await store.allDocuments(in: Self.collection).compactMap { document in
            document.value["email"]?.stringValue.map { (document.key.name, $0) }
        }.sorted { $0.email < $1.email }
    }

    /// Trusts a sender, and returns the id; the one it has if it is trusted already.
    package func add(_ email: String) async throws(StorageError) -> String {
        let email = Self.folded(email)
        if let known = try await all().first(where: { $0.email == email }) { return known.id }
        let id = ids.text("T")
        try await store.commit([
            .putDocument(Document(DocumentKey(Self.collection, id), value: ["email": .string(email)]))
        ])
        return id
    }

    /// There being none is not an error.
    package func remove(_ id: String) async throws(StorageError) {
        try await store.commit([.destroyDocument(DocumentKey(Self.collection, id))])
    }

    /// The address that wrote and sent a message; nil if its From and Sender fields name several, because a service
    /// checks one of them at most.
    ///
    /// Reply-To does not count: it does not claim who wrote the message, the page warns of it before a reply, and
    /// newsletters and lists often name another service there.
    static func onlyAuthor(of header: EmailHeader, _ fields: [HeaderField]) -> String? {
        let written = fields.filter { ["from", "sender"].contains($0.name.lowercased()) }
        let addresses = header.from + header.sender + written.flatMap { HeaderForm.addresses(of: $0.value) }
        let all = Set(addresses.map { folded($0.email) })
        return header.from.isEmpty || all.count != 1 ? nil : all.first
    }

    static func folded(_ email: String) -> String { email.lowercased() }
}
