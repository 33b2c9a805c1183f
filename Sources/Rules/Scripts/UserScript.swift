import Mail
import MailKernelAPI
import Store

/// A Sieve script of an account. At most one of them is active: it decides about arriving mail.
package struct UserScript: Codable, Sendable, Hashable {
    package let id: String
    package var name: String
    package var text: String
    package var isActive: Bool

    /// Its text as a blob; another one for each text.
    package var blobID: Id<Blob> { ScriptBlob.id(id, text: text) }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(ScriptBlob.key(id, in: accountID), value: try JSONValue(encoding: self)))
    }
}

/// Why a script cannot be kept.
package struct ScriptProblem: Error, Hashable, Sendable {
    package enum Kind: Sendable {
        case invalidSieve, tooLarge, nameTaken, invalidName, tooMany, isActive, notFound
    }

    package let kind: Kind
    package let sentence: String
}
