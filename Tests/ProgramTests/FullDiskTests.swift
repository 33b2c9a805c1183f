import Foundation
import Glibc
import TestSupport
import Testing

/// A full disk costs what has to be written, and nothing else.
@Suite("A full disk") struct FullDiskTests {
    @Test(.enabled(if: SmallDisk.canBeMade, "Only root can mount a small disk."))
    func theProgramStarts() async throws {
        let installed = try Installed()
        let disk = try SmallDisk(at: installed.data.path, megabytes: 1)
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
        #expect(result.errors.contains("will not be skipped at the next start"), "\(result.errors)")
    }
}
