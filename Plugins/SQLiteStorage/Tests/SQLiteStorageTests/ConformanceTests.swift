import MailKernelConformance
import Testing

@testable import SQLiteStorage

@Suite("SQLite keeps every promise of a store") struct ConformanceTests {
    @Test(arguments: ConformanceCase.all(.storage)) func keeps(_ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(ConformanceSubject(SQLitePlugin.self))
        #expect(verdict == .kept)
    }
}
