import FoundationEssentials
import Glibc
import MailKernelAPI

extension MailKernel {
    /// Removes every account, message, model, secret, token and file of this program, at any time. The kernel
    /// cannot be used afterwards: the program restarts.
    ///
    /// - Returns: a sentence for each thing that could not be removed.
    public func wipe() async -> [String] {
        var problems: [String] = []
        let files = program.folders.map(WipedFiles.init)
        do {
            // Killed from here on, the next start finishes it.
            try files?.mark()
        } catch {
            problems.append("\(error)")
        }
        await stop()
        problems += await accounts.revokeAll()
        problems += await intelligence.models.removeAll()
        var isSecretsGone = true
        do {
            try await program.removeSecrets()
        } catch let error as SecretError {
            isSecretsGone = false
            problems.append(
                "Passwords and tokens could not be removed. \(AccountError.secrets(error).sentence)")
        } catch {
            isSecretsGone = false
            problems.append("Passwords and tokens could not be removed. \(error)")
        }
        do {
            try await store.backend.wipe()
        } catch {
            problems.append("The mail could not be removed. \(error.sentence)")
        }
        problems += files?.remove(keepsSecretsPlace: !isSecretsGone) ?? []
        do {
            // Requests before the restart get empty results instead of errors.
            _ = try await store.backend.open()
        } catch {
            problems.append(error.sentence)
        }
        return problems
    }

    /// Restarts the program.
    public func restart() { program.restart?() }
}

/// The files that go when everything is wiped: all but what the page needs to find the program again, and
/// what the user wrote themselves.
public struct WipedFiles: Sendable {
    private let folders: KernelFolders

    public init(_ folders: KernelFolders) {
        self.folders = folders
    }

    private var marker: URL { folders.data.appending(path: "wiping") }

    func mark() throws(FolderError) {
        let descriptor = open(marker.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FolderError(folder: folders.data, action: "written") }
        fsync(descriptor)
        close(descriptor)
    }

    /// Whether a wipe was started and not finished.
    public var isUnfinished: Bool { access(marker.path, F_OK) == 0 }

    /// Returns the things that could not be removed.
    ///
    /// - Parameter keepsSecretsPlace: secrets remain, so the record of their location must stay: without it,
    ///   no later wipe would find them.
    public func remove(keepsSecretsPlace: Bool = false) -> [String] {
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
        problems += Self.remove(marker)
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
