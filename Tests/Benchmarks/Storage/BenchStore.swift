import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import PluginHost
import TestSupport

/// A storage plugin, loaded as the program loads it, on a folder with made-up mail.
struct BenchStore: Sendable {
    static let other = Id<Account>("other")
    /// What a synchronization brings in one go.
    static let batch = 100

    let backend: any StorageBackend
    let folder: URL

    init(
        in folder: URL, plugin name: String = "SQLiteStorage", settings: PluginSettings = PluginSettings()
    ) async throws {
        let plugin = try OpenedPlugin(at: Checkout.root.appending(path: "Plugins/\(name)"))
        let host = HostServices.forTesting(settings: settings, dataFolder: folder)
        guard case .storage(let backend) = try plugin.makeProvider(host: host) else {
            throw BenchError(description: "The plugin is of another kind.")
        }
        self.backend = backend
        self.folder = folder
        _ = try await backend.open()
    }

    func addAccount(_ id: Id<Account>) async throws {
        let roles: [Mailbox.Role] = [.inbox, .sent, .drafts, .trash, .junk, .all]
        let account = Account(
            id: id, pluginID: "bench", address: "me@bench.example", displayName: "Me", addedAt: Date())
        _ = try await backend.commit(
            ChangeSet(
                [.putAccount(account)]
                    + roles.map {
                        .putMailbox(
                            Mailbox(id: Id($0.rawValue), accountID: id, name: $0.rawValue, role: $0))
                    }
                    + (0..<12).map {
                        .putMailbox(Mailbox(id: Id("label\($0)"), accountID: id, name: "Label \($0)"))
                    }))
    }

    /// Commits one batch.
    func put(_ messages: [GeneratedMessage], in account: Id<Account>) async throws {
        _ = try await backend.commit(
            ChangeSet(
                messages.flatMap { message -> [StorageChange] in
                    [.putEmail(message.email(in: account), message.body)]
                }))
    }

    /// Returns when nothing has been written for some seconds: what the store puts in order by itself once mail has
    /// come is not what is measured next.
    func settle() async throws {
        var (seen, since) = ("", ContinuousClock.now)
        while .now - since < .seconds(6) {
            let written =
                try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
                .split(separator: "\n").first { $0.hasPrefix("write_bytes") }.map(String.init) ?? ""
            if written != seen { (seen, since) = (written, .now) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Bytes of everything that it keeps.
    func bytes() throws -> Int {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.appending(path: name).path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes[.size] as? Int ?? 0)
        }
    }
}
