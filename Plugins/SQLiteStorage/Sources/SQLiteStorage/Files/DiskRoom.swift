import MailKernelAPI

/// Who gets what room there is on a full disk: deleting, and the small notes that everything needs, but no new mail.
struct DiskRoom: Sendable {
    /// So many pages at once are taken from the end of the file.
    private static let pagesInOneStep = 100

    let folder: StoreFolder
    let file: OpenFile

    private var reserve: Reserve { folder.reserve }

    /// Runs what brings in something that takes room.
    func bringIn<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
        try reserve.demand()
        return try body()
    }

    /// Runs what takes little room or makes some, on a full disk with the room of the reserve.
    func makeRoom<Answer>(
        in database: Database, _ body: () throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        let answer: Answer
        do throws(StorageError) {
            answer = try body()
        } catch .full {
            guard reserve.lend() || reserve.isLent else { throw .full }
            answer = try withReserve(database, body)
        }
        if reserve.isLent { giveBack(database) }
        return answer
    }

    private func withReserve<Answer>(
        _ database: Database, _ body: () throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        do throws(StorageError) {
            return try body()
        } catch .full {
            return try withoutOverwriting(database, body)
        }
    }

    /// Most writes of a large deletion would be overwriting. That is done afterwards and in place, as for a
    /// removed account, or at the next start if the program ends before.
    private func withoutOverwriting<Answer>(
        _ database: Database, _ body: () throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        let pages = RemovedPages(database: database, folder: folder, file: file)
        try pages.mark()
        try database.execute("PRAGMA secure_delete = FAST")
        defer { try? database.execute("PRAGMA secure_delete = ON") }
        let answer = try body()
        try? pages.clean()
        return answer
    }

    /// Shortens the files as much as possible, and restores the reserve. Failures are repeated after the next
    /// deletion.
    private func giveBack(_ database: Database) {
        do throws(StorageError) {
            try emptyLog(database)
            while try database.integer("PRAGMA freelist_count") ?? 0 > 0 {
                let before = try database.integer("PRAGMA page_count") ?? 0
                try database.execute("PRAGMA incremental_vacuum(\(Self.pagesInOneStep))")
                try emptyLog(database)
                guard try database.integer("PRAGMA page_count") ?? 0 < before else { break }
            }
        } catch {
            return
        }
        reserve.hold()
    }

    /// Does not wait for readers: the pages they need stay.
    private func emptyLog(_ database: Database) throws(StorageError) {
        _ = try database.first("PRAGMA wal_checkpoint(PASSIVE)") { $0.flag(0) }
        _ = try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) }
    }
}
