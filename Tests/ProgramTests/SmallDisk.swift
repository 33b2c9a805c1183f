import Foundation
import Glibc

/// A small disk in memory. Only root can mount one.
final class SmallDisk {
    private let path: String

    static let canBeMade: Bool = {
        guard let place = try? TemporaryPlace() else { return false }
        return (try? SmallDisk(at: place.path + "/disk", megabytes: 1)) != nil
    }()

    init(at path: String, megabytes: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("small-disk", path, "tmpfs", 0, "size=\(megabytes)m,mode=0700") == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
        self.path = path
    }

    deinit { umount2(path, CInt(MNT_DETACH)) }

    var freeBytes: Int {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : 0
    }

    /// To the last byte.
    func fill() throws {
        let file = open(path + "/filling", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(file) }
        let page = [UInt8](repeating: 0, count: 4096)
        for count in [page.count, 512] {
            while write(file, page, count) > 0 {}
        }
    }
}

private final class TemporaryPlace {
    let path = FileManager.default.temporaryDirectory.appending(path: "mailkernel-disk-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
