import Digest
import FoundationEssentials
import MailKernelAPI

/// Takes in a model file that the user has: looks at it, copies it, and has it loaded once.
struct ModelImport {
    let folder: ModelFolder
    /// Loads a file in a separate process, and throws if that fails.
    let tryOut: (_ file: String, ImportedModel) async throws(ModelError) -> Void

    func run(_ source: URL, name: String) async throws(ModelError) -> (id: Id<Model>, ImportedModel) {
        guard source.isFileURL, let file = OpenFile.readingModel(source.path) else {
            throw .badFile(reason: "The file cannot be read.")
        }
        let header = try Self.header(of: file)
        let size = try file.size
        try folder.make()
        let free = folder.freeSpace
        guard free >= size + PartialFile.reserve else {
            throw .noSpace(needed: size + PartialFile.reserve, free: free)
        }
        let copy = folder.path + "/import-\(UUID().uuidString).part"
        defer { try? Folders.remove(copy) }
        let target = try OpenFile.writingModel(copy)
        let sha256 = try await copyAll(file, to: target, size: size)
        // The copy: the file itself may have changed since it was looked at.
        guard try Self.header(of: target) == header else {
            throw .badFile(reason: "The file changed while it was copied.")
        }
        let model = ImportedModel(name: name, size: size, sha256: sha256, header: header)
        try await tryOut(copy, model)
        let id = Id<Model>("imported-" + sha256.prefix(16))
        // A description without a model is not listed, while a model without a description would be left
        // behind invisibly.
        try model.write(folder.note(id))
        try folder.accept(target, at: copy, as: id)
        return (id, model)
    }

    private static func header(of file: OpenFile) throws(ModelError) -> GGUFHeader {
        do throws(GGUFError) {
            return try GGUFHeader(BoundedReader(file))
        } catch {
            throw error.forTheKernel
        }
    }

    private func copyAll(
        _ file: OpenFile, to target: OpenFile, size: Int
    ) async throws(ModelError) -> String {
        let checksum = SHA256()
        var done = 0
        while done < size {
            guard !Task.isCancelled else { throw .cancelled }
            let bytes = try file.read(at: done, count: min(1 << 20, size - done))
            guard !bytes.isEmpty else { throw .badFile(reason: "The file changed while it was copied.") }
            do throws(ModelError) {
                try target.write(bytes, at: done)
            } catch {
                guard case .noSpace = error else { throw error }
                throw .noSpace(needed: size - done + PartialFile.reserve, free: folder.freeSpace)
            }
            checksum.add(bytes)
            done += bytes.count
            await Task.yield()
        }
        guard let digest = checksum.finish() else { throw .noDigest }
        return digest.hex
    }
}
