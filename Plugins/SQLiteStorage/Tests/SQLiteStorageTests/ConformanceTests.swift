import MailKernelConformance
import Testing

@testable import SQLiteStorage

@Suite("SQLite keeps every promise of a store") struct ConformanceTests {
    /// Its files are for one kernel at a time.
    private static let ofSharing: Set = [
        "aLeaseHasOneHolder", "aLostLeaseStopsTheCommit", "closingReleasesLeases", "kernelsHearOfEachOther",
    ]

    @Test(arguments: ConformanceCase.all(.storage)) func keeps(_ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(ConformanceSubject(SQLitePlugin.self))
        let isApplicable = !Self.ofSharing.contains(promise.name)
        #expect(verdict == (isApplicable ? .kept : .notApplicable("only one kernel at a time can open it")))
    }
}
