import FoundationEssentials
import MailKernelAPI

/// A record of the copy on this device that was changed while the server did not respond. It is a document of the copy,
/// committed together with the first change, so that neither is ever there without the other.
package struct OfflineChange: Codable, Sendable, Hashable {
    static let collection = "offline-change"
    package static let dataType = DataType.documents(collection)

    package let type: DataType
    package let id: String
    package let accountID: Id<Account>?
    /// A document as it was before; nil if there was none.
    package let before: JSONValue?
    /// Names the change in the server's store once it is merged there, so that it is not merged again.
    package let token: String

    var key: DocumentKey {
        DocumentKey(Self.collection, "\(type.rawValue)/\(id)", accountID: accountID)
    }

    /// To be committed when it is merged.
    package var removal: StorageChange { .destroyDocument(key) }

    /// The key of a document; nil for other records.
    package var document: DocumentKey? {
        let prefix = DataType.documents("").rawValue
        guard type.rawValue.hasPrefix(prefix) else { return nil }
        let collection = String(type.rawValue.dropFirst(prefix.count))
        return DocumentKey(collection, id, accountID: accountID)
    }
}
