import MailKernelAPI
import Store

extension Blobs {
    /// What refers to a blob.
    package enum Owner: Sendable {
        case email(StoredEmail)
        /// The blob exists, and no email has it: an upload, the text of a script.
        case none
    }

    /// Nil if there is no such blob. Nothing is fetched to find out.
    package func owner(of id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> Owner? {
        var blob = BlobID(id)
        guard blob.depth <= BlobID.maxDepth else { return nil }
        var part = blob.part
        while blob.part != nil {
            part = blob.part
            blob = BlobID(blob.container)
        }
        if let emailID = blob.email,
            let email = try await store.read.emails([emailID], in: accountID).first
        {
            guard let part else { return .email(email) }
            let structure = try await store.read.body(of: emailID, in: accountID)?.structure
            return structure?.part(part) == nil ? nil : .email(email)
        }
        if try await store.read.blobInfo(blob.id, in: accountID) != nil { return Owner.none }
        return try await ScriptBlob.content(id, in: accountID, store) == nil ? nil : Owner.none
    }
}
