import Foundation
import MailKernelAPI
import Testing

@testable import SQLiteStorage

@Suite("How much room everything takes") struct UsageTests {
    /// NFR-SET-05, PV-SO-04: with 10,000 messages, never three times in a row later than 5 s.
    @Test func isKnownSoon() async throws {
        let folder = try TestFolder()
        try await folder.withStore { store in
            _ = try await store.commit(ChangeSet(Sample.account()))
            for start in stride(from: 0, to: 10_000, by: 500) {
                _ = try await store.commit(
                    ChangeSet((start..<start + 500).map { Sample.email("m\($0)", text: "Number \($0)") }))
            }
            var times: [Duration] = []
            for _ in 0..<3 {
                let began = ContinuousClock.now
                let usage = try await store.usage()
                times.append(ContinuousClock.now - began)
                let account = try #require(usage.accounts.first)
                #expect(account.mail > 10_000 && usage.total >= account.total)
            }
            #expect(times.contains { $0 < .seconds(5) }, "\(times)")
        }
    }
}
