import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Writes a blob to a file with an unknown name; the store records it once it is complete and on the disk.
final class FileBlobWriter: BlobWriter {
    private struct Target {
        var file: OpenFile
        var size = 0
    }

    private let info: BlobInfo
    private let name: String
    private let storage: SQLiteStorage
    private let folder: StoreFolder
    /// Nil once it is finished or discarded.
    private let target: Mutex<Target?>

    init(_ info: BlobInfo, into storage: SQLiteStorage, _ folder: StoreFolder) throws(StorageError) {
        self.info = info
        self.storage = storage
        self.folder = folder
        name = UUID().uuidString
        target = Mutex(Target(file: try OpenFile.make(folder.blob(name))))
    }

    deinit {
        if target.withLock({ $0 }) != nil { try? Folders.remove(folder.blob(name)) }
    }

    func write(_ bytes: Data) async throws {
        guard let file = target.withLock({ $0?.file }) else { throw Self.finished }
        try await OffThread.run { [folder] () throws(StorageError) in
            try folder.reserve.demand()
            try file.append(bytes)
        }
        target.withLock { $0?.size += bytes.count }
    }

    func finish() async throws {
        guard let target = target.withLock({ $0.take() }) else { throw Self.finished }
        do {
            let blobs = folder.blobs
            try await OffThread.run { () throws(StorageError) in
                try target.file.synchronize()
                try OpenFile.synchronizeFolder(blobs)
            }
            var info = info
            info.size = target.size
            try await storage.keep(info, file: name)
        } catch {
            try? Folders.remove(folder.blob(name))
            throw error
        }
    }

    func discard() async {
        guard target.withLock({ $0.take() }) != nil else { return }
        try? Folders.remove(folder.blob(name))
    }

    private static var finished: StorageError { .invalid(reason: "the blob is finished") }
}
