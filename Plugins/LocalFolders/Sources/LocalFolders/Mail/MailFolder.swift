import Dispatch
import FoundationEssentials
import Glibc
import MailKernelAPI

/// One account's mail on disk: messages as files, and an index that says where each belongs.
///
/// A message becomes durable in this order: its file in `incoming`, the index, its file's name in `mail`.
/// Whoever opens the folder after a crash finds in `incoming` what the index knows, and puts it into
/// place, and what it does not know, and removes it. What goes leaves the index first and the disk then.
///
/// Several of these may be open on one folder, in one process or in several.
final class MailFolder: Sendable {
    static let feed = FeedID("mail")

    let paths: MailPaths
    /// The one that changes things, and one that reads meanwhile.
    let writer: Lane
    let reader: Lane
    private let lock: OpenFile
    private let changes: OpenFile

    private init(
        _ paths: MailPaths, writer: Database, reader: Database, lock: OpenFile, changes: OpenFile
    ) {
        self.paths = paths
        self.writer = Lane("writer", writer)
        self.reader = Lane("reader", reader)
        self.lock = lock
        self.changes = changes
    }

    private static let openings = DispatchQueue(label: "local-folders.opening", attributes: .concurrent)

    /// Opens the folder, which is made if it is not there, and puts it in order if nobody else uses it.
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
        let isAlone = flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0
        // Whoever is alone puts things in order; the others wait until that is done.
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
            _ = flock(lock.descriptor, LOCK_UN)
            throw error
        }
    }

    private static func openOrRepair(
        _ paths: MailPaths, isAlone: Bool, _ log: PluginLog
    ) throws(FolderError) -> Database {
        let repair = IndexRepair(paths, log: log)
        if isAlone, try repair.isNeeded() { try repair.run(because: "it is missing") }
        // SQLite would make it for everybody to read.
        _ = try OpenFile.writing(paths.index)
        do throws(FolderError) {
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
        // Last, for it puts everything into the one file of the index.
        await writer.close()
        // Now, and not when the last reference goes: a program started meanwhile may hold the file too.
        _ = flock(lock.descriptor, LOCK_UN)
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

    /// Makes the log as short as it can be, and holds the room again that was lent.
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

/// Puts in order what a crash left. Nobody else uses the folder meanwhile.
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
                try database.integer("SELECT count(*) FROM message WHERE id = ?", .text(id)) > 0
            else {
                try Folders.remove(path)
                continue
            }
            try Folders.make(paths.shelf(of: id))
            try Folders.move(path, to: paths.message(id))
        }
        for id in try database.rows("SELECT id FROM doomed", make: { $0.text(0) }) {
            try Folders.remove(paths.message(id))
        }
        try database.run("DELETE FROM doomed")
    }
}
