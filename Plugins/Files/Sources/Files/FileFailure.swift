import Glibc

/// An error that a plugin throws when a file cannot be used, in the words of that plugin.
public protocol FileFailure: Error {
    static var full: Self { get }
    static func unreadable(reason: String) -> Self
    static func unwritable(reason: String) -> Self
}

extension FileFailure {
    public static func reading(_ code: CInt = errno) -> Self {
        .unreadable(reason: String(cString: strerror(code)))
    }

    public static func writing(_ code: CInt = errno) -> Self {
        isFull(code) ? .full : .unwritable(reason: String(cString: strerror(code)))
    }

    /// Exceeded quotas and limits on file sizes also count as a full disk.
    public static func isFull(_ code: CInt) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}
