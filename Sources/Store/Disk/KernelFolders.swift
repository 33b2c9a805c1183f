import FoundationEssentials
import Glibc

/// Where the program keeps its files: the data and the configuration folder, mode 0700.
package struct KernelFolders: Sendable {
    package let data: URL
    package let configuration: URL

    package init(data: URL, configuration: URL) {
        self.data = data
        self.configuration = configuration
    }

    /// The folders of the XDG base directory specification.
    package static func standard(environment: [String: String]) -> KernelFolders {
        KernelFolders(
            data: base("XDG_DATA_HOME", ".local/share", environment).appending(path: "mailkernel"),
            configuration: base("XDG_CONFIG_HOME", ".config", environment).appending(path: "mailkernel"))
    }

    /// Where a user puts plugins that are loaded beside the program's own. Not in the data folder: deleting all mail
    /// deletes no programs, and the demo, whose data is elsewhere, has them too.
    package static func addedPlugins(environment: [String: String]) -> URL {
        base("XDG_DATA_HOME", ".local/share", environment).appending(path: "mailkernel-plugins")
    }

    private static func base(_ variable: String, _ fallback: String, _ environment: [String: String]) -> URL {
        // A relative path in these variables is to be ignored.
        if let path = environment[variable], path.hasPrefix("/") { return URL(filePath: path) }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        return (home ?? URL.homeDirectory).appending(path: fallback)
    }

    package var pluginMemory: URL { data.appending(path: "plugin-loading") }
    /// What the server on this computer keeps: sessions, start links, its certificate authority.
    package var server: URL { data.appending(path: "server") }
    /// The list of connections that were made.
    package var connections: URL { data.appending(path: "connections") }
    /// Is there while the store is being opened.
    package var storeOpening: URL { data.appending(path: "store-opening") }
    /// What the storage plugin keeps that has the copy of a store on a server.
    package var replica: URL { data.appending(path: "replica") }
    /// Certificates that the user trusts besides those of the system.
    package var moreCertificates: URL { configuration.appending(path: "certificates.pem") }
    package var pluginList: URL { configuration.appending(path: "plugins.json") }

    package func settingsFile(of pluginID: String) -> URL {
        configuration.appending(path: "plugins").appending(path: pluginID + ".json")
    }

    package func dataFolder(of pluginID: String) -> URL {
        data.appending(path: "plugins").appending(path: pluginID)
    }

    /// Makes the folders that are not there.
    package func create() throws(FolderError) {
        try Self.makePrivate(data)
        try Self.makePrivate(configuration)
    }

    package static func makePrivate(_ folder: URL) throws(FolderError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FolderError(folder: folder, action: "made")
        }
        guard access(folder.path, R_OK | W_OK | X_OK) == 0 else {
            throw FolderError(folder: folder, action: "written")
        }
    }
}

package struct FolderError: Error, Sendable, CustomStringConvertible {
    package let folder: URL
    package let action: String

    package init(folder: URL, action: String) {
        self.folder = folder
        self.action = action
    }

    package var description: String {
        "The folder \(folder.path) cannot be \(action). Check its permissions, or choose another with --data or "
            + "--config."
    }
}
