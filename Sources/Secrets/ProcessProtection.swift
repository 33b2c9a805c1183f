import CSecret

/// Protects this process's memory.
public enum ProcessProtection {
    /// From now on no core of this process is written, and no other process of the same user can attach
    /// to it or read its memory. To be called first thing, before any secret is there.
    ///
    /// - Returns: whether the system agreed.
    @discardableResult
    public static func begin() -> Bool { csecret_close_process() == 0 }
}
