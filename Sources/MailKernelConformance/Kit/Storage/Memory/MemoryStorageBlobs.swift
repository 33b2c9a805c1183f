public import FoundationEssentials
public import MailKernelAPI
import Synchronization

extension MemoryStorage {
    public func writeBlob(_ blob: BlobInfo) throws(StorageError) -> any BlobWriter {
        guard try contents().accounts[blob.accountID] != nil else {
            throw .notFound("account \(blob.accountID)")
        }
        return MemoryBlobWriter(blob, into: self)
    }

    public func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) throws(StorageError) -> BlobInfo? {
        try contents().accounts[accountID]?.blobs.items[id]?.info
    }

    public func readBlob(
        _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
    ) throws(StorageError) -> Data {
        guard let item = try contents().accounts[accountID]?.blobs.items[id] else {
            throw .notFound("blob \(id)")
        }
        if item.info.retention == .cached {
            try change { contents in
                contents.lastUse += 1
                contents.accounts[accountID]?.blobs.use(id, at: contents.lastUse)
            }
        }
        return DataSource(item.bytes).read(at: offset, count: count)
    }

    public func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) throws(StorageError) {
        try change { $0.accounts[accountID]?.blobs.remove(id) }
    }

    func keep(_ bytes: Data, as info: BlobInfo) throws(StorageError) {
        try change { contents throws(StorageError) in
            guard let account = contents.accounts[info.accountID]?.account else {
                throw .notFound("account \(info.accountID)")
            }
            var info = info
            info.size = bytes.count
            contents.lastUse += 1
            contents.accounts[info.accountID]?.blobs.put(
                BlobShelf.Item(info: info, bytes: bytes, lastUse: contents.lastUse),
                limit: account.attachmentCacheLimit)
        }
    }
}

/// Collects the bytes of a blob; the store learns of them when they are all there.
private final class MemoryBlobWriter: BlobWriter {
    private let info: BlobInfo
    private let storage: MemoryStorage
    /// Nil once it is finished or discarded.
    private let bytes = Mutex<Data?>(Data())

    init(_ info: BlobInfo, into storage: MemoryStorage) {
        self.info = info
        self.storage = storage
    }

    func write(_ bytes: Data) throws {
        try self.bytes.withLock { held in
            guard held != nil else { throw StorageError.invalid(reason: "the blob is finished") }
            held?.append(bytes)
        }
    }

    func finish() throws {
        let held = bytes.withLock { $0.take() }
        guard let held else { throw StorageError.invalid(reason: "the blob is finished") }
        try storage.keep(held, as: info)
    }

    func discard() {
        bytes.withLock { $0 = nil }
    }
}
