import FoundationEssentials
import MailKernelAPI

/// The folder of the plugin: one folder in it for each account.
struct LocalAccounts: Sendable {
    private static let removedPrefix = ".removed-"

    private let folder: String

    init(_ dataFolder: URL) {
        folder = dataFolder.path + "/accounts"
    }

    func paths(of address: LocalAddress) -> MailPaths {
        MailPaths(folder: folder + "/" + address.folderName)
    }

    /// Whether mail can be delivered to this address.
    func has(_ address: LocalAddress) -> Bool {
        Folders.exists(paths(of: address).folder)
    }

    /// Makes the folder of an account, which it keeps if it is there: from here on mail can be
    /// delivered to it.
    func prepare(_ address: LocalAddress) throws(FolderError) {
        try Folders.make(folder)
        // What a removal left that was interrupted.
        for name in Folders.names(in: folder) where name.hasPrefix(Self.removedPrefix) {
            try Folders.removeAll(folder + "/" + name)
        }
        try Folders.make(paths(of: address).folder)
    }

    /// Deletes an account's mail. It is gone at once and as a whole, however long the deleting takes.
    func remove(_ address: LocalAddress) throws(FolderError) {
        let path = paths(of: address).folder
        guard Folders.exists(path) else { return }
        let doomed = folder + "/" + Self.removedPrefix + MailPaths.newID()
        try Folders.move(path, to: doomed)
        try Folders.removeAll(doomed)
    }
}
