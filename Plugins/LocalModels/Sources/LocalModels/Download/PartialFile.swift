import FoundationEssentials
import MailKernelAPI

/// What has arrived of a model, with the checksum of it taken on the way: nothing is read a second time
/// but what an earlier try left.
actor PartialFile: ByteSink {
    /// Room that stays free, so that mail can still be kept.
    static let reserve = 64 << 20
    private static let spaceCheck = 32 << 20

    private let file: OpenFile
    private let folder: ModelFolder
    private let size: Int
    private var checksum: Checksum
    private(set) var received = 0
    /// Why bytes were not taken. The network says of it only that somebody here refused.
    private(set) var problem: ModelError?
    private var hasTooMuch = false
    private var untilSpaceCheck = 0
    private let tell: @Sendable (Int) -> Void

    /// - Parameter tell: told how many bytes are here, each time that some have come.
    init(
        _ entry: CatalogueEntry, in folder: ModelFolder, tell: @escaping @Sendable (Int) -> Void
    ) throws(ModelError) {
        file = try OpenFile.writing(folder.part(entry.id))
        guard file.lock() else { throw .failed(reason: "This model is being downloaded already.") }
        self.folder = folder
        self.tell = tell
        size = entry.size
        checksum = try Checksum()
    }

    /// Takes up what an earlier try left.
    func takeUp() async throws(ModelError) {
        let left = min(file.size, size)
        // Nothing that could not be a beginning.
        if file.size > size { return try beginAnew() }
        while received < left {
            guard !Task.isCancelled else { throw .cancelled }
            let bytes = try file.read(at: received, count: min(1 << 20, left - received))
            guard !bytes.isEmpty else { break }
            try checksum.add(bytes)
            received += bytes.count
            // Others want to go on too.
            await Task.yield()
        }
    }

    func beginAnew() throws(ModelError) {
        try file.cut(to: 0)
        checksum = try Checksum()
        received = 0
    }

    func write(_ bytes: Data) throws {
        do throws(ModelError) {
            try take(bytes)
        } catch {
            problem = error
            throw error
        }
        tell(received)
    }

    private func take(_ bytes: Data) throws(ModelError) {
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
        do throws(ModelError) {
            try file.write(bytes, at: received)
        } catch {
            guard case .noSpace = error else { throw error }
            throw .noSpace(needed: size - received + Self.reserve, free: folder.freeSpace)
        }
        try checksum.add(bytes)
        received += bytes.count
        untilSpaceCheck -= bytes.count
    }

    func forgetProblem() {
        problem = nil
        hasTooMuch = false
    }

    /// Why bytes from this host were not taken. Those of a server that does not stop are given up.
    func refuse(_ problem: ModelError, from host: String) -> ModelError {
        guard hasTooMuch else { return problem }
        do throws(ModelError) {
            try beginAnew()
        } catch {
            return error
        }
        return .network(.badAnswer(host: host, reason: "it sends more than the model has"))
    }

    /// The checksum of all of it.
    func digest() throws(ModelError) -> String { try checksum.finish() }

    /// Looks whether it is a model at all, and puts it in its place.
    func accept(as id: Id<Model>) throws(ModelError) {
        do throws(GGUFError) {
            _ = try GGUFHeader(BoundedReader(file))
        } catch {
            throw error.forTheKernel
        }
        try folder.accept(file, at: folder.part(id), as: id)
    }
}
