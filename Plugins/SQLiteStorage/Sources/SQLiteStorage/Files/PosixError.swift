import Glibc
import MailKernelAPI

/// What the system says when a file cannot be used, in the words of the contract.
enum PosixError {
    static func isFull(_ code: CInt) -> Bool {
        // A quota and a limit on file sizes are full disks to everybody but the system.
        code == ENOSPC || code == EDQUOT || code == EFBIG
    }

    static func writing(_ code: CInt = errno) -> StorageError {
        isFull(code) ? .full : .unwritable(reason: String(cString: strerror(code)))
    }

    static func reading(_ code: CInt = errno) -> StorageError {
        .unreadable(reason: String(cString: strerror(code)))
    }
}
