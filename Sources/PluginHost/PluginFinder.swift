public import FoundationEssentials
import Glibc

/// A folder that contains a plugin, or should: everything known before its code is touched.
struct PluginCandidate {
    let folder: URL
    /// Nil if it cannot be used.
    var manifest: PluginManifest?
    /// Why it will not be loaded, if that is known already.
    var refusal: Refusal?
    /// Says which file the library is: another file, another stamp.
    var libraryStamp = ""

    /// The id, or the folder's name where the manifest does not give one.
    var id: String { manifest?.id ?? folder.lastPathComponent.printable }
}

/// A folder of plugins that cannot be looked through.
public struct UnreadableFolder: Error, Sendable, CustomStringConvertible {
    public let folder: URL
    public let reason: String

    public var description: String {
        "The plugin folder \(folder.path) cannot be read: \(reason)."
    }
}

/// Finds plugins by their manifests.
enum PluginFinder {
    /// The plugins in these folders, in the order given and by name within each.
    ///
    /// A plugin is a folder with a `plugin.json`. One with a library and no manifest is a broken plugin;
    /// one with neither is no plugin and left out. A folder that has a `plugin.json` itself is one plugin.
    static func candidates(in folders: [URL]) throws(UnreadableFolder) -> [PluginCandidate] {
        var candidates: [PluginCandidate] = []
        for folder in folders {
            let untrusted = untrustedReason(folder)
            for plugin in try pluginFolders(in: folder) {
                var candidate = examine(plugin)
                candidate.refusal = untrusted ?? candidate.refusal
                candidates.append(candidate)
            }
        }
        return candidates
    }

    private static func pluginFolders(in folder: URL) throws(UnreadableFolder) -> [URL] {
        if hasFile("plugin.json", in: folder) { return [folder] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { !$0.hasPrefix(".") }
                .sorted()
                .map { folder.appending(path: $0) }
                .filter { hasFile("plugin.json", in: $0) || mayHaveLibrary($0) }
        } catch {
            throw UnreadableFolder(folder: folder, reason: reason(error))
        }
    }

    /// Anyone who can rename a plugin's folder can replace it.
    private static func untrustedReason(_ folder: URL) -> Refusal? {
        do throws(Refusal) {
            try FileTrust.check(folder.path)
            return nil
        } catch {
            return error
        }
    }

    static func examine(_ folder: URL) -> PluginCandidate {
        var candidate = PluginCandidate(folder: folder)
        do throws(Refusal) {
            try FileTrust.check(folder.path)
            let manifest = try readManifest(folder)
            candidate.manifest = manifest
            let library = folder.appending(path: manifest.library).path
            guard access(library, F_OK) == 0 else { throw .missingLibrary(manifest.library) }
            for path in [folder.appending(path: "plugin.json").path, library] {
                try FileTrust.check(path)
            }
            guard isFile(library) else { throw .notALibrary("it is not a file") }
            guard manifest.api.isUsable else { throw .otherAPIVersion(plugin: manifest.api) }
            candidate.libraryStamp = stamp(library)
        } catch {
            candidate.refusal = error
        }
        return candidate
    }

    private static func readManifest(_ folder: URL) throws(Refusal) -> PluginManifest {
        let file = folder.appending(path: "plugin.json")
        guard access(folder.path, R_OK | X_OK) == 0 else {
            throw .manifestUnreadable(String(cString: strerror(errno)))
        }
        guard hasFile("plugin.json", in: folder) else { throw .noManifest }
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            throw .manifestUnreadable(String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .manifestUnreadable("it is not a file") }
        guard status.st_size <= PluginManifest.sizeLimit else { throw .manifestTooLarge(status.st_size) }
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw .manifestUnreadable(reason(error))
        }
        return try PluginManifest(parsing: data)
    }

    private static func stamp(_ library: String) -> String {
        var status = stat()
        guard stat(library, &status) == 0 else { return "" }
        return "\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether the name is there, even if it leads nowhere.
    private static func hasFile(_ name: String, in folder: URL) -> Bool {
        var status = stat()
        return lstat(folder.appending(path: name).path, &status) == 0
    }

    /// A folder that cannot be looked into may hold one: it is listed rather than passed over.
    private static func mayHaveLibrary(_ folder: URL) -> Bool {
        var status = stat()
        guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return true
        }
        return names.contains { $0.hasSuffix(".so") }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return String(describing: error) }
        return switch error.code {
        case .fileReadNoPermission: "permission denied"
        case .fileReadNoSuchFile, .fileNoSuchFile: "it does not exist"
        // Foundation has no word for a file where a folder is expected.
        default: "it is not a folder of plugins"
        }
    }
}
