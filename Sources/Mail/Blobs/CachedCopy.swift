import MailKernelAPI
import Store

extension MailStore {
    /// The service has a message now: from here on its bytes here are a copy that can be fetched again. What
    /// lives on this machine anyway is not kept twice.
    package func keepAsCopy(_ emailID: Id<Email>, in accountID: Id<Account>, isLocal: Bool) async throws {
        let id = BlobID(email: emailID).id
        if isLocal { return try await removeBlob(id, in: accountID) }
        guard let kept = try await read.blobInfo(id, in: accountID), kept.retention == .kept else { return }
        let bytes = StoredBlob(kept, read)
        let info = BlobInfo(id: id, accountID: accountID, type: "message/rfc822", retention: .cached)
        let writer = try await writeBlob(info)
        do {
            try await bytes.write(to: writer)
            try await writer.finish()
        } catch {
            await writer.discard()
            // Destroyed in between, together with its bytes.
            if case .notFound = error as? StorageError { return }
            throw error
        }
    }
}
