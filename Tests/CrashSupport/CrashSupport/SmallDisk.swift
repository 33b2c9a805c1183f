import FoundationEssentials
import Glibc

/// A small disk of its own, in memory: it becomes full, or read-only, and nothing else is harmed. Only root can
/// mount one.
public final class SmallDisk: Sendable {
    public struct Refused: Error {
        public let code: CInt
    }

    public let path: String

    public static let canBeMade = (try? SmallDisk(megabytes: 1)) != nil

    public init(megabytes: Int) throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "small-disk-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("small-disk", path, "tmpfs", 0, "size=\(megabytes)m,mode=0700") == 0 else {
            let code = errno
            rmdir(path)
            throw Refused(code: code)
        }
    }

    deinit {
        umount2(path, CInt(MNT_DETACH))
        rmdir(path)
    }

    public func setReadOnly(_ isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("small-disk", path, "tmpfs", flags, nil) == 0 else { throw Refused(code: errno) }
    }
}
