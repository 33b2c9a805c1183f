import Digest
import FoundationEssentials
import Glibc
import MailKernelAPI

/// Rebuilds an index from the messages, which are all there; only their mailboxes are lost.
struct IndexRepair {
    private let paths: MailPaths
    private let log: PluginLog

    init(_ paths: MailPaths, log: PluginLog) {
        self.paths = paths
        self.log = log
    }

    /// The new index while it is made, and when it is whole.
    private var unfinished: String { paths.folder + "/index-unfinished.db" }
    private var finished: String { paths.folder + "/index-new.db" }

    /// Whether there is mail and no index, as after only the mail was put back from a backup.
    func isNeeded() throws(FolderError) -> Bool {
        if Folders.exists(paths.index) { return false }
        if Folders.exists(finished) {
            // Ended between setting the old one aside and putting the new one into its place.
            try Folders.move(finished, to: paths.index)
            return false
        }
        return Folders.names(in: paths.mail).contains { shelf in
            !Folders.names(in: paths.mail + "/" + shelf).isEmpty
        }
    }

    /// Sets a damaged index aside. All messages are in the archive of the new one, and read.
    func run(because reason: String) throws(FolderError) {
        log.error(
            "an account's index cannot be used (\(public: reason)) and is rebuilt, with all mail in Archive"
        )
        for suffix in Self.suffixes { try Folders.remove(unfinished + suffix) }
        try fill()
        try Folders.move(unfinished, to: finished)
        // The log first: a database without its log is older, a log without its database is nothing.
        for suffix in Self.suffixes where Folders.exists(paths.index + suffix) {
            try Folders.move(paths.index + suffix, to: "\(paths.folder)/index-damaged.db\(suffix)")
        }
        try Folders.move(finished, to: paths.index)
        try OpenFile.synchronizeFolder(paths.folder)
    }

    private static let suffixes = ["-shm", "-wal", ""]

    /// Closed at the end, which puts everything into the one file.
    private func fill() throws(FolderError) {
        _ = try OpenFile.writing(unfinished)
        let database = try MailFolder.openIndex(unfinished)
        try database.transaction { () throws(FolderError) in
            let writer = IndexWriter(database)
            for shelf in Folders.names(in: paths.mail) {
                for name in Folders.names(in: paths.mail + "/" + shelf) {
                    guard let id = MailPaths.id(inName: name), id.hasPrefix(shelf) else { continue }
                    try add(id, writer)
                }
            }
        }
    }

    private func add(_ id: String, _ writer: IndexWriter) throws(FolderError) {
        guard let file = try paths.open(id) else { return }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw .writing() }
        let digest = SHA256()
        var beginning = Data()
        var size = 0
        while case let piece = try file.read(at: size, count: MailFolder.pieceSize), !piece.isEmpty {
            if size == 0 { beginning = piece }
            digest.add(piece)
            size += piece.count
        }
        guard let digest = digest.finish() else { throw .noDigest }
        let message = StagedMessage(
            id: id, digest: digest, size: size, messageID: MessageHeader(beginning).messageID)
        try writer.add(
            message, to: [StandardMailbox.id(.archive)], keywords: [.seen],
            receivedAt: Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)))
    }
}
