import Dispatch
import FoundationEssentials
import Glibc
import MailKernelAPI

/// One account's mail on disk: messages as files, and an index with their mailboxes.
///
/// A message becomes durable in this order: its file in `incoming`, the index, its file name in `mail`.
/// Opening the folder after a crash moves files in `incoming` that the index knows to `mail`, and removes the
/// others. A message is removed from the index first, then from the disk.
///
/// A folder can be open several times, in one process or in several.
final class MailFolder: Sendable {
    static let feed = FeedID("mail")

    let paths: MailPaths
    /// The writer, and a concurrent reader.
    let writer: Lane
    let reader: Lane
    private let lock: OpenFile
    private let changes: OpenFile

    private init(
        _ paths: MailPaths, writer: Database, reader: Database, lock: OpenFile, changes: OpenFile
    ) {
        self.paths = paths
        self.writer = Lane("local-folders.writer", writer)
        self.reader = Lane("local-folders.reader", reader)
        self.lock = lock
        self.changes = changes
    }

    private static let openings = DispatchQueue(label: "local-folders.opening", attributes: .concurrent)

    /// Opens the folder, creating it if necessary, and repairs it if it is not in use.
    static func open(_ paths: MailPaths, log: PluginLog) async throws(FolderError) -> MailFolder {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<MailFolder, FolderError>, Never>) in
            openings.async {
                do throws(FolderError) {
                    continuation.resume(returning: .success(try make(paths, log)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private static func make(_ paths: MailPaths, _ log: PluginLog) throws(FolderError) -> MailFolder {
        for folder in [paths.folder, paths.mail, paths.incoming] { try Folders.make(folder) }
        let lock = try OpenFile.writing(paths.lock)
        let isAlone = lock.lock()
        // The only user of the folder repairs it; the others wait.
        if !isAlone { try share(lock) }
        do throws(FolderError) {
            // A database that is only read takes a little room too.
            let (writer, reader) = try paths.reserve.makeRoom { () throws(FolderError) in
                let writer = try openOrRepair(paths, isAlone: isAlone, log)
                if isAlone { try Tidying(paths, writer).run() }
                return (writer, try Database(paths.index, isReadOnly: true))
            }
            paths.reserve.hold()
            if isAlone { try share(lock) }
            return MailFolder(
                paths, writer: writer, reader: reader, lock: lock,
                changes: try OpenFile.writing(paths.changes))
        } catch {
            lock.unlock()
            throw error
        }
    }

    private static func openOrRepair(
        _ paths: MailPaths, isAlone: Bool, _ log: PluginLog
    ) throws(FolderError) -> Database {
        let repair = IndexRepair(paths, log: log)
        if isAlone, try repair.isNeeded() { try repair.run(because: "it is missing") }
        // SQLite would let all users read it.
        _ = try OpenFile.writing(paths.index)
        do throws(FolderError) {
            // SQLite also reports a failed read of the disk as damage. Only damage that is found twice is there.
            do throws(FolderError) { return try openIndex(paths.index) } catch .damaged {}
            return try openIndex(paths.index)
        } catch {
            guard case .damaged(let reason) = error, isAlone else { throw error }
            try repair.run(because: reason)
            return try openIndex(paths.index)
        }
    }

    static func openIndex(_ path: String) throws(FolderError) -> Database {
        let database = try Database(path)
        try Schema.prepare(database, generation: Int64.random(in: 1..<1 << 53))
        return database
    }

    private static func share(_ lock: OpenFile) throws(FolderError) {
        while flock(lock.descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else { throw .writing() }
        }
    }

    func close() async {
        await reader.close()
        // Last, because it merges everything into the index file.
        await writer.close()
        // Now, not when the last reference is released: a child process may hold the file too.
        lock.unlock()
    }

    /// Changes the index in one transaction, puts the files of new messages into place, and tells
    /// who watches.
    ///
    /// - Parameter staged: files in `incoming` that are removed again if this throws.
    func change<Answer: Sendable>(
        staged: [String] = [], _ body: @escaping @Sendable (IndexWriter) throws(FolderError) -> Answer
    ) async throws(FolderError) -> Answer {
        do throws(FolderError) {
            return try await writer.run { [self] database throws(FolderError) in
                if !staged.isEmpty { try paths.reserve.demand() }
                let (writer, answer) =
                    staged.isEmpty
                    ? try paths.reserve.makeRoom { () throws(FolderError) in try Self.note(database, body) }
                    : try Self.note(database, body)
                // What goes wrong from here on is put in order at the next opening.
                settle(staged, writer)
                for id in writer.doomed where (try? Folders.remove(paths.message(id))) != nil {
                    _ = try? database.run("DELETE FROM doomed WHERE id = ?", .text(id))
                }
                if paths.reserve.isLent { giveBack(database) }
                if writer.hasChanged { tell() }
                return answer
            }
        } catch {
            discard(staged)
            throw error
        }
    }

    private static func note<Answer>(
        _ database: Database, _ body: (IndexWriter) throws(FolderError) -> Answer
    ) throws(FolderError) -> (IndexWriter, Answer) {
        let writer = IndexWriter(database)
        let answer = try database.transaction { () throws(FolderError) in
            let answer = try body(writer)
            try writer.finish()
            return answer
        }
        return (writer, answer)
    }

    /// Shortens the log as much as possible, and restores the reserve.
    private func giveBack(_ database: Database) {
        _ = try? database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
        paths.reserve.hold()
    }

    private func settle(_ staged: [String], _ writer: IndexWriter) {
        for id in staged {
            if writer.added.contains(id) {
                if rename(paths.incoming(id), paths.message(id)) != 0, errno == ENOENT {
                    _ = mkdir(paths.shelf(of: id), 0o700)
                    _ = rename(paths.incoming(id), paths.message(id))
                }
            } else {
                unlink(paths.incoming(id))
            }
        }
    }

    func discard(_ staged: [String]) {
        for id in staged { unlink(paths.incoming(id)) }
    }

    private func tell() {
        // Only that it is written matters, not what.
        _ = pwrite(changes.descriptor, "\n", 1, 0)
    }
}

/// Repairs the folder after a crash, while it is not in use.
struct Tidying {
    private let paths: MailPaths
    private let database: Database

    init(_ paths: MailPaths, _ database: Database) {
        self.paths = paths
        self.database = database
    }

    func run() throws(FolderError) {
        for name in Folders.names(in: paths.incoming) {
            let path = paths.incoming + "/" + name
            guard let id = MailPaths.id(inName: name),
                try database.integer("SELECT count(*) FROM message WHERE id = ?", .text(id)) ?? 0 > 0
            else {
                try Folders.remove(path)
                continue
            }
            try Folders.make(paths.shelf(of: id))
            try Folders.move(path, to: paths.message(id))
        }
        for id in try database.rows("SELECT id FROM doomed", [], { $0.text(0) }) {
            try Folders.remove(paths.message(id))
        }
        try database.run("DELETE FROM doomed")
    }
}
