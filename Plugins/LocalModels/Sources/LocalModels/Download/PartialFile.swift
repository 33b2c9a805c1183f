import Digest
import FoundationEssentials
import MailKernelAPI

/// A partially received model, with a running checksum: only bytes of an earlier attempt are read again.
actor PartialFile: ByteSink {
    /// Room that stays free, so that mail can still be kept.
    static let reserve = 64 << 20
    private static let spaceCheck = 32 << 20

    private let file: OpenFile
    private let folder: ModelFolder
    private let size: Int
    private let checksum = RunningChecksum()
    private var writer: PieceWriter
    private(set) var received = 0
    /// Why bytes were rejected. The network only reports that the sink failed.
    private(set) var problem: ModelError?
    private var hasTooMuch = false
    private var untilSpaceCheck = 0
    private let tell: @Sendable (Int) -> Void

    /// - Parameter tell: told how many bytes are here, each time that some have come.
    init(
        _ entry: CatalogEntry, in folder: ModelFolder, tell: @escaping @Sendable (Int) -> Void
    ) throws(ModelError) {
        file = try OpenFile.writingModel(folder.part(entry.id))
        guard file.lock() else { throw .failed(reason: "This model is already being downloaded.") }
        self.folder = folder
        self.tell = tell
        size = entry.size
        writer = PieceWriter(file, at: 0)
    }

    /// Takes up what an earlier try left.
    func takeUp() async throws(ModelError) {
        let found = try file.size
        let left = min(found, size)
        // Nothing that could not be a beginning.
        if found > size { return try await beginAnew() }
        while received < left {
            guard !Task.isCancelled else { throw .cancelled }
            let bytes = try file.read(at: received, count: min(1 << 20, left - received))
            guard !bytes.isEmpty else { break }
            await checksum.add(bytes)
            received += bytes.count
        }
        writer = PieceWriter(file, at: received)
    }

    func beginAnew() async throws(ModelError) {
        try file.cut(to: 0)
        await checksum.beginAnew()
        writer = PieceWriter(file, at: 0)
        received = 0
    }

    func write(_ bytes: Data) async throws {
        do throws(ModelError) {
            try await take(bytes)
        } catch {
            problem = error
            throw error
        }
        tell(received)
    }

    private func take(_ bytes: Data) async throws(ModelError) {
        guard received + bytes.count <= size else {
            hasTooMuch = true
            throw .verificationFailed
        }
        if untilSpaceCheck <= 0 {
            untilSpaceCheck = Self.spaceCheck
            let free = folder.freeSpace
            let needed = size - received
            file.beginWriting(at: max(0, received - Self.spaceCheck), count: Self.spaceCheck)
            guard free > min(needed, Self.spaceCheck) + Self.reserve else {
                throw .noSpace(needed: needed + Self.reserve, free: free)
            }
        }
        // Writing and the checksum run in parallel. If writing fails, the whole attempt ends, so that the
        // checksum never covers more than the file.
        async let added: Void = checksum.add(bytes)
        try save { writer throws(ModelError) in try writer.add(bytes) }
        await added
        received += bytes.count
        untilSpaceCheck -= bytes.count
    }

    /// Ensures that all received bytes are in the file. Call this when a source is done.
    func settle() throws(ModelError) {
        try save { writer throws(ModelError) in try writer.flush() }
    }

    private func save(_ work: (PieceWriter) throws(ModelError) -> Void) throws(ModelError) {
        do throws(ModelError) {
            try work(writer)
        } catch {
            guard case .noSpace = error else { throw error }
            throw .noSpace(needed: size - received + Self.reserve, free: folder.freeSpace)
        }
    }

    func forgetProblem() {
        problem = nil
        hasTooMuch = false
    }

    /// Why bytes from this host were not taken. Those of a server that does not stop are given up.
    func refuse(_ problem: ModelError, from host: String) async -> ModelError {
        guard hasTooMuch else { return problem }
        do throws(ModelError) {
            try await beginAnew()
        } catch {
            return error
        }
        return .network(.badAnswer(host: host, reason: "it sent more bytes than the model has"))
    }

    /// The checksum of all of it.
    func digest() async throws(ModelError) -> String {
        guard let digest = await checksum.finish() else { throw .noDigest }
        return digest.hex
    }

    /// Looks whether it is a model at all, and puts it in its place.
    func accept(as id: Id<Model>) throws(ModelError) {
        guard try file.size == size else {
            throw .badFile(reason: "The file changed while it was downloaded.")
        }
        do throws(GGUFError) {
            _ = try GGUFHeader(BoundedReader(file))
        } catch {
            throw error.forTheKernel
        }
        try folder.accept(file, at: folder.part(id), as: id)
    }
}

/// A checksum computed on a separate thread.
private actor RunningChecksum {
    private var checksum = SHA256()

    func beginAnew() { checksum = SHA256() }
    func add(_ bytes: Data) { checksum.add(bytes) }
    func finish() -> Data? { checksum.finish() }
}

extension ModelError {
    static let noDigest = Self.failed(reason: "SHA-256 is not available on this system.")
}
