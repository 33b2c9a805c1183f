import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// The bytes of a draft's attachments. They are the draft's own, so that nothing that happens to the email they
/// came from, or to an upload that is a day old, takes them away.
struct DraftFiles {
    let store: MailStore
    let blobs: Blobs

    /// Copies available attachments into the draft; others stay pending.
    ///
    /// - Returns: changes to commit together with the draft.
    /// - Throws: `ComposeError.noBlob` if an attachment does not exist.
    func claim(
        _ content: inout DraftContent, over old: DraftContent?, in accountID: Id<Account>
    ) async throws -> [StorageChange] {
        var changes: [StorageChange] = []
        for index in content.attachments.indices {
            let blobID = content.attachments[index].blobID
            if let known = old?.attachments.first(where: { $0.blobID == blobID }), known.keptAs != nil {
                content.attachments[index].keptAs = known.keptAs
                content.attachments[index].size = known.size
                continue
            }
            guard try await exists(blobID, in: accountID) else { throw ComposeError.noBlob(blobID) }
            guard try await isHere(blobID, in: accountID) else { continue }
            let (kept, size, claim) = try await keep(blobID, in: accountID)
            content.attachments[index].keptAs = kept
            content.attachments[index].size = size
            content.attachments[index].problem = nil
            changes.append(claim)
        }
        return changes
    }

    /// Makes the bytes of a blob last, fetching them first if need be.
    func keep(
        _ id: Id<Blob>, in accountID: Id<Account>
    ) async throws -> (kept: Id<Blob>, size: Int, claim: StorageChange) {
        let isUpload = id.rawValue.hasPrefix("U") && BlobID(id).part == nil
        let kept = isUpload ? id : try await blobs.copy(id, from: accountID, to: accountID)
        guard let info = try await store.read.blobInfo(kept, in: accountID) else {
            throw ComposeError.noBlob(id)
        }
        return (kept, info.size, blobs.claim(kept, in: accountID))
    }

    private func exists(_ id: Id<Blob>, in accountID: Id<Account>) async throws -> Bool {
        if try await isHere(id, in: accountID) { return true }
        let blob = BlobID(id)
        if blob.isNested { return try await isThere(id, in: accountID) }
        guard let email = blob.email, let body = try await store.read.body(of: email, in: accountID) else {
            return false
        }
        guard let part = blob.part else { return true }
        return body.structure.part(part) != nil
    }

    /// The store has no structure for messages that are attached to other messages, so the message is read.
    private func isThere(_ id: Id<Blob>, in accountID: Id<Account>) async throws -> Bool {
        do {
            _ = try await blobs.content(id, in: accountID)
            return true
        } catch BlobError.notFound {
            return false
        }
    }

    private func isHere(_ id: Id<Blob>, in accountID: Id<Account>) async throws -> Bool {
        if try await store.read.blobInfo(id, in: accountID) != nil { return true }
        let blob = BlobID(id)
        guard blob.part != nil else { return false }
        return try await store.read.blobInfo(blob.container, in: accountID) != nil
    }

    /// Removes bytes that are no longer used by any draft.
    func forget(_ old: DraftContent?, besides drafts: [Draft], in accountID: Id<Account>) async {
        let used = Set(drafts.flatMap(\.content.attachments).compactMap(\.keptAs))
        for attachment in old?.attachments ?? [] {
            guard let kept = attachment.keptAs, !used.contains(kept) else { continue }
            await blobs.removeNowOrLater(kept, in: accountID)
        }
    }

    /// The bytes of all attachments.
    ///
    /// - Throws: `BlobError.notFound` if one is still pending.
    func sources(_ content: DraftContent, in accountID: Id<Account>) async throws -> [any ByteSource] {
        var sources: [any ByteSource] = []
        for attachment in content.attachments {
            guard let kept = attachment.keptAs else { throw BlobError.notFound }
            sources.append(try await StoredBlob(kept, in: accountID, store.read))
        }
        return sources
    }
}

extension Drafts {
    /// Outlines of the other drafts, whose attachments must be kept.
    package func others(than draft: Draft) async throws -> [Draft] {
        try await outlines(in: draft.accountID).filter { $0.id != draft.id }
    }

    /// If it cannot be removed, for example on a full disk, the others are still processed, and the next
    /// start tries again.
    func destroyEmpty(_ draft: Draft) async {
        do {
            try await destroy(draft.id, in: draft.accountID)
        } catch {
            log.write(.warning, "mailkernel", "An empty draft could not be removed. \(error.logged)")
        }
    }
}
