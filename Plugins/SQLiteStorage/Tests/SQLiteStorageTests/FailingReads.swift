import CSQLite
import Glibc
import Synchronization

/// Makes SQLite's reads of files below a folder fail, as a broken disk does.
enum FailingReads {
    private struct Plan {
        var passing: Int
        var failing: Int
    }

    private static let plans = Mutex<[String: Plan]>([:])

    /// After `passing` reads below `folder`, the next one fails.
    static func failOnce(after passing: Int = 0, below folder: String) {
        _ = installed
        plans.withLock { $0[folder] = Plan(passing: passing, failing: 1) }
    }

    /// Returns whether a read has failed.
    @discardableResult static func end(below folder: String) -> Bool {
        plans.withLock { $0.removeValue(forKey: folder) }?.failing == 0
    }

    private static let installed: Void = {
        let vfs = sqlite3_vfs_find("unix-excl")
        let read: @convention(c) (CInt, UnsafeMutableRawPointer?, Int, off_t) -> Int = {
            file, bytes, count, offset in
            guard FailingReads.fails(file) else { return pread(file, bytes, count, offset) }
            errno = EIO
            return -1
        }
        for name in ["pread", "pread64"] {
            _ = vfs?.pointee.xSetSystemCall?(vfs, name, unsafeBitCast(read, to: sqlite3_syscall_ptr.self))
        }
    }()

    private static func fails(_ file: CInt) -> Bool {
        plans.withLock { plans in
            guard !plans.isEmpty, let path = path(of: file),
                let folder = plans.keys.first(where: path.hasPrefix), var plan = plans[folder]
            else { return false }
            defer { plans[folder] = plan }
            if plan.passing > 0 {
                plan.passing -= 1
                return false
            }
            defer { plan.failing = 0 }
            return plan.failing > 0
        }
    }

    private static func path(of file: CInt) -> String? {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/\(file)", &bytes, bytes.count)
        return count > 0
            ? String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
