import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// The attachments of a message that can do harm, judged by their bytes as far as those are on this device: nothing is
/// fetched for a mark.
struct AttachmentHeads {
    let accountID: Id<Account>
    let store: MailStore
    /// Messages that are kept whole are taken apart up to this size, each time that they are opened. Of larger ones, what
    /// was noted when they came is known.
    private static let messageLimit = 2_000_000

    func risks(
        of parts: [EmailBodyPart], in email: Id<Email>
    ) async throws(StorageError) -> [(blobID: Id<Blob>, risk: AttachmentRisk)] {
        guard !parts.isEmpty else { return [] }
        let noted = try await AttachmentNotes(store: store, accountID: accountID).risks(of: email)
        let samples = try await samples(of: parts, in: BlobID(email: email).id)
        return parts.compactMap { part in
            guard let id = part.blobID else { return nil }
            let risk =
                AttachmentRisk.judge(name: part.name, type: part.type, sample: samples[id] ?? FileSample())
                ?? part.partID.flatMap { noted[$0] }
            return risk.map { (id, $0) }
        }
    }

    /// Of those whose names do not tell already.
    private func samples(
        of parts: [EmailBodyPart], in message: Id<Blob>
    ) async throws(StorageError) -> [Id<Blob>: FileSample] {
        let doubtful = parts.filter { AttachmentRisk.judge(name: $0.name, type: $0.type) == nil }
        guard !doubtful.isEmpty else { return [:] }
        var samples: [Id<Blob>: FileSample] = [:]
        let whole = try await stored(message)
        let contents =
            whole.map { MessageParser().contents(of: doubtful.compactMap(\.partID), in: $0) } ?? [:]
        for part in doubtful {
            guard let id = part.blobID else { continue }
            if let content = part.partID.flatMap({ contents[$0] }) {
                samples[id] = FileSample(content.decoded)
            } else {
                samples[id] = try await sample(of: id)
            }
        }
        return samples
    }

    private func sample(of id: Id<Blob>) async throws(StorageError) -> FileSample {
        guard let info = try await store.read.blobInfo(id, in: accountID) else { return FileSample() }
        do {
            return try await FileSample.read(size: info.size) { offset, count in
                try await bytes(of: info, from: offset, count: count)
            }
        } catch let error as StorageError {
            throw error
        } catch {
            return FileSample()
        }
    }

    private func stored(_ id: Id<Blob>) async throws(StorageError) -> Data? {
        guard let info = try await store.read.blobInfo(id, in: accountID), info.size <= Self.messageLimit,
            info.size > 0
        else { return nil }
        return try await bytes(of: info, from: 0, count: info.size)
    }

    /// Nothing, if the cache has just dropped it.
    private func bytes(of info: BlobInfo, from offset: Int, count: Int) async throws(StorageError) -> Data {
        do {
            return try await store.read.readBlob(info.id, in: info.accountID, offset: offset, count: count)
        } catch .notFound {
            return Data()
        }
    }
}
