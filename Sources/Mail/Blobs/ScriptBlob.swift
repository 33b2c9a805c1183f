import FoundationEssentials
import MailKernelAPI
import Store

/// The text of a Sieve script as a blob. The text is in the script's document; the id of the blob changes with it.
package enum ScriptBlob {
    package static let collection = "sieve-script"

    package static func id(_ script: String, text: String) -> Id<Blob> {
        Id("V\(script)-\(ShortName.of(text))")
    }

    package static func key(_ script: String, in accountID: Id<Account>) -> DocumentKey {
        DocumentKey(ScriptBlob.collection, script, accountID: accountID)
    }

    static func content(
        _ id: Id<Blob>, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Blobs.Content? {
        guard id.rawValue.first == "V", let end = id.rawValue.lastIndex(of: "-") else { return nil }
        let script = String(id.rawValue[..<end].dropFirst())
        guard
            let text = try await store.read.document(key(script, in: accountID))?.value["text"]?.stringValue,
            ScriptBlob.id(script, text: text) == id
        else { return nil }
        return Blobs.Content(type: "application/sieve", name: nil, bytes: DataSource(Data(text.utf8)))
    }
}
