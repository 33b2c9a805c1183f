import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "PostgreSQL keeps every promise of a store",
    // Each store has several connections, and a server has a limited number.
    .serialized,
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct ConformanceTests {
    @Test(arguments: ConformanceCase.all(.storage)) func keeps(_ promise: ConformanceCase) async throws {
        #expect(try await promise.check(TestServer.subject) == .kept)
    }
}
