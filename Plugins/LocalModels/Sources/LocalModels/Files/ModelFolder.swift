import CLocalModels
import FoundationEssentials
import Glibc
import MailKernelAPI

/// The files of the models: `ID.gguf`, complete and verified; `ID.part`, a partial download, with its state
/// in `ID.part.json`; `ID.json`, the description of an imported model.
struct ModelFolder: Sendable {
    let path: String

    init(in dataFolder: URL) {
        path = dataFolder.appending(path: "models").path
    }

    func model(_ id: Id<Model>) -> String { path + "/" + id.rawValue + ".gguf" }
    func part(_ id: Id<Model>) -> String { path + "/" + id.rawValue + ".part" }
    func partNote(_ id: Id<Model>) -> String { path + "/" + id.rawValue + ".part.json" }
    func note(_ id: Id<Model>) -> String { path + "/" + id.rawValue + ".json" }

    func make() throws(ModelError) { try Folders.make(path) }

    /// Whether the model is available. Only verified files have this name.
    func has(_ id: Id<Model>, size: Int) -> Bool {
        var status = stat()
        return stat(model(id), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && Int(status.st_size) == size
    }

    /// How many bytes of an unfinished download are here.
    func kept(_ id: Id<Model>) -> Int {
        var status = stat()
        guard stat(part(id), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_size)
    }

    /// Takes a file for a model, in one step that is done or not.
    func accept(_ file: OpenFile, at place: String, as id: Id<Model>) throws(ModelError) {
        try file.synchronize()
        try Folders.move(place, to: model(id))
        try OpenFile.synchronizeFolder(path)
    }

    /// Removes the remains of interrupted imports, which are not listed. Call this while no import is
    /// running.
    func tidy() {
        let names = Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
        for name in names {
            let isCopy = name.hasPrefix("import-") && name.hasSuffix(".part")
            let isModel = name.hasPrefix("imported-") && name.hasSuffix(".gguf")
            let isLeft = isCopy || isModel && !names.contains(name.dropLast(5) + ".json")
            if isLeft { try? Folders.remove(path + "/" + name) }
        }
    }

    /// Bytes that may still be written, of what the system gives to a user.
    var freeSpace: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return .max }
        let (free, isTooMuch) = Int(status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return isTooMuch ? .max : free
    }

    /// The ids of imported models.
    func imports() -> [Id<Model>] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter {
            $0.hasPrefix("imported-") && $0.hasSuffix(".json") && !$0.hasSuffix(".part.json")
        }
        .map { Id<Model>(String($0.dropLast(5))) }.filter(\.isValid).sorted()
    }
}
