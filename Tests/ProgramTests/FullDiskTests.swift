import Foundation
import Glibc
import TestSupport
import Testing

/// A full disk costs what has to be written, and nothing else.
@Suite("A full disk") struct FullDiskTests {
    @Test(.enabled(if: SmallDisk.canBeMade, "Only root can mount a small disk."))
    func theProgramStarts() async throws {
        let installed = try Installed()
        let disk = try SmallDisk(at: installed.data.path)
        let first = try installed.start()
        #expect(await first.line(containing: "is ready"))
        first.signal(SIGTERM)
        #expect(await first.result().status == 0)
        try disk.fill()
        let second = try installed.start()
        #expect(await second.line(containing: "is ready"))
        second.signal(SIGTERM)
        let result = await second.result()
        #expect(result.status == 0 && !result.endedBySignal)
        #expect(result.errors.contains("plugin-loading cannot be written"), "\(result.errors)")
        #expect(result.errors.contains("is not skipped at the next start"), "\(result.errors)")
    }
}

/// A disk of one MiB in memory.
private final class SmallDisk {
    private let path: String

    static let canBeMade: Bool = {
        guard let place = try? TemporaryFolder() else { return false }
        return (try? SmallDisk(at: place.url.appending(path: "disk").path)) != nil
    }()

    init(at path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("small-disk", path, "tmpfs", 0, "size=1m,mode=0700") == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
        self.path = path
    }

    deinit { umount2(path, CInt(MNT_DETACH)) }

    func fill() throws {
        let file = open(path + "/filling", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(file) }
        let page = [UInt8](repeating: 0, count: 4096)
        while write(file, page, page.count) > 0 {}
    }
}
