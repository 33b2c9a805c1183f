import FoundationEssentials
import Glibc
import MailKernelAPI
import Store

/// The files that go when everything is wiped: all but what the page needs to find the program again, and
/// what the user wrote themselves.
package struct WipedFiles: Sendable {
    private let folders: KernelFolders

    package init(_ folders: KernelFolders) {
        self.folders = folders
    }

    private var marker: URL { folders.data.appending(path: "wiping") }

    package func mark() throws(FolderError) {
        let descriptor = open(marker.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FolderError(folder: folders.data, action: "written") }
        fsync(descriptor)
        close(descriptor)
    }

    /// Whether a wipe was started and not finished.
    package var isUnfinished: Bool { access(marker.path, F_OK) == 0 }

    /// Returns the things that could not be removed.
    ///
    /// - Parameters:
    ///   - keepsSecretsPlace: secrets remain, so the record of their location must stay: without it, no
    ///     later wipe would find them.
    ///   - isAgain: a plugin may still be writing, so the next start removes the files again.
    package func remove(keepsSecretsPlace: Bool = false, isAgain: Bool = false) -> [String] {
        var problems: [String] = []
        let kept: Set = ["lock", "server", "wiping", "plugins"]
        problems += Self.empty(folders.data, but: keepsSecretsPlace ? kept.union(["secrets.json"]) : kept)
        // Plugins count on their folders being there.
        let plugins = folders.dataFolder(of: "x").deletingLastPathComponent()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: plugins.path)) ?? [] {
            problems += Self.empty(plugins.appending(path: name), but: [])
        }
        // Sessions and ports are kept, so that the page that requested the wipe can reconnect.
        problems += Self.empty(folders.server, but: ["sessions.json", "ports.json", "start.json"])
        problems += Self.remove(folders.configuration.appending(path: "tokens.json"))
        // Failures have been reported; a wipe at every start would remove new data.
        if !isAgain { problems += Self.remove(marker) }
        return problems
    }

    private static func empty(_ folder: URL, but kept: Set<String>) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { !kept.contains($0) }.flatMap { remove(folder.appending(path: $0)) }
    }

    private static func remove(_ place: URL) -> [String] {
        var status = stat()
        guard lstat(place.path, &status) == 0 else { return [] }
        do {
            try FileManager.default.removeItem(at: place)
            return []
        } catch {
            return ["“\(place.path)” could not be removed. Delete it yourself."]
        }
    }
}
