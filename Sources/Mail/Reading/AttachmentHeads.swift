import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The first bytes of attachments, as far as they are on this device: nothing is fetched for a mark.
struct AttachmentHeads {
    let accountID: Id<Account>
    let store: any MailReader
    /// Messages that are kept whole are taken apart up to this size. Attachments of larger ones are looked at when
    /// they are saved.
    private static let messageLimit = 2_000_000

    func risks(of parts: [EmailBodyPart]) async throws(StorageError) -> [(
        blobID: Id<Blob>, risk: AttachmentRisk
    )] {
        var message: Data?
        var risks: [(blobID: Id<Blob>, risk: AttachmentRisk)] = []
        for part in parts {
            guard let id = part.blobID else { continue }
            if let risk = AttachmentRisk.judge(name: part.name, type: part.type) {
                risks.append((id, risk))
                continue
            }
            let blob = BlobID(id)
            if message == nil, blob.part != nil { message = try await stored(blob.container) ?? Data() }
            var head = try await self.head(of: id)
            if head.isEmpty, let message, !message.isEmpty, let name = blob.part {
                let content = MessageParser().content(of: name, in: message)
                head = content.map { Array($0.decoded.prefix(AttachmentRisk.headSize)) } ?? []
            }
            if let risk = AttachmentRisk.judge(name: part.name, type: part.type, head: head) {
                risks.append((id, risk))
            }
        }
        return risks
    }

    private func head(of id: Id<Blob>) async throws(StorageError) -> [UInt8] {
        guard let info = try await store.blobInfo(id, in: accountID), info.size > 0 else { return [] }
        return Array(try await bytes(of: info, count: min(info.size, AttachmentRisk.headSize)))
    }

    private func stored(_ id: Id<Blob>) async throws(StorageError) -> Data? {
        guard let info = try await store.blobInfo(id, in: accountID), info.size <= Self.messageLimit,
            info.size > 0
        else { return nil }
        return try await bytes(of: info, count: info.size)
    }

    /// Nothing, if the cache has just dropped it.
    private func bytes(of info: BlobInfo, count: Int) async throws(StorageError) -> Data {
        do {
            return try await store.readBlob(info.id, in: accountID, offset: 0, count: count)
        } catch .notFound {
            return Data()
        }
    }
}
