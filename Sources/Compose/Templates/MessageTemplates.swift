import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// A text that the user writes again and again.
package struct MessageTemplate: Codable, Sendable, Hashable {
    package var id: String
    package var name: String
    /// The subject of a message that has none; nil to leave it alone.
    package var subject: String?
    package var html: String

    package init(id: String, name: String, subject: String? = nil, html: String = "") {
        self.id = id
        self.name = name
        self.subject = subject
        self.html = html
    }
}

/// The user's templates.
package struct MessageTemplates: Sendable {
    package static let dataType = DataType.documents(collection)
    private static let collection = "message-template"

    private let store: MailStore

    package init(store: MailStore) {
        self.store = store
    }

    /// By name.
    package func all() async throws(StorageError) -> [MessageTemplate] {
        try await store.allDocuments(in: Self.collection).compactMap { $0.read(as: MessageTemplate.self) }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    package func template(_ id: String) async throws(StorageError) -> MessageTemplate? {
        try await all().first { $0.id == id }
    }

    /// The placeholders of the user's templates that are left in any of the drafts, besides those that are filled in.
    package func placeholders(leftIn drafts: [DraftContent]) async throws(StorageError) -> Set<String> {
        let left = drafts.lazy.flatMap(\.ownTexts)
            .reduce(into: Set<String>()) { $0.formUnion(Placeholders.own(in: $1.text)) }
        guard !left.isEmpty else { return [] }
        return try await all().reduce(into: []) { found, template in
            for text in [template.subject ?? "", ComposedText.of(PlaceholderName.withoutCode(template.html))]
            where text.contains("{") {
                found.formUnion(Placeholders.own(in: text).intersection(left))
            }
        }
    }

    package func put(_ template: MessageTemplate) async throws {
        var template = template
        template.html = ComposedHTML(template.html).html
        let value = try JSONValue(encoding: template)
        try await store.commit([
            .putDocument(Document(DocumentKey(Self.collection, template.id), value: value))
        ])
    }

    package func remove(_ id: String) async throws(StorageError) {
        try await store.commit([.destroyDocument(DocumentKey(Self.collection, id))])
    }
}
