import Glibc
import MailKernelAPI

/// Remains of a removal in the files: free pages with their old content, and old pages in the log.
struct RemovedPages {
    /// Smaller databases are rewritten completely, which leaves nothing behind.
    private static let fewBytes = 8_000_000

    let database: Database
    let folder: StoreFolder
    let file: OpenFile

    /// Before anything is removed, so that a program that does not live to clean up does so at its next
    /// start.
    func mark() throws(StorageError) {
        _ = try OpenFile.writing(folder.removalMark)
        try OpenFile.synchronizeFolder(folder.path)
    }

    /// Returns once none of the removed data can be read.
    func clean() throws(StorageError) {
        let kept = try database.integer("SELECT sum(mail_bytes + index_bytes) FROM account") ?? 0
        let isWrittenAnew = kept <= Self.fewBytes ? try writeAnew() : false
        if !isWrittenAnew {
            // In the log they stand as they were, and the file is what counts only without it.
            try emptyLog()
            let isGivenBack = try FreePages(file)?.overwrite() ?? false
            // Pages cached by SQLite would restore overwritten data.
            try database.execute("PRAGMA shrink_memory")
            if !isGivenBack { try giveBack() }
        }
        try emptyLog()
        try Folders.remove(folder.removalMark)
    }

    /// False on a full disk, which has no room for a second time what stays.
    private func writeAnew() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try database.execute("VACUUM")
            return true
        } catch .full {
            return false
        }
    }

    /// Shortens the file if that is quick. The rest is reused. A file with holes takes no more space than a
    /// shorter one.
    private func giveBack() throws(StorageError) {
        let start = clock()
        while try database.integer("PRAGMA freelist_count") ?? 0 > 0 {
            try database.execute("PRAGMA incremental_vacuum(2000)")
            if Double(clock() - start) / Double(CLOCKS_PER_SEC) > 0.3 { return }
        }
    }

    /// A reader that is still at an older moment is waited for.
    private func emptyLog() throws(StorageError) {
        for _ in 0..<20 {
            let isBusy = try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) } ?? false
            guard isBusy else { return }
        }
        throw .inUse
    }
}
