import Foundation
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-48: relative URLs, no event source, states of “0”, and answers of its own.
@Suite(
    "An account at Cyrus keeps what accounts promise",
    .enabled(if: Cyrus.isBuilt, "Tests/Servers/cyrus/build.sh has not built .build/cyrus"), .serialized)
struct CyrusTests {
    /// Cyrus refuses a message without the name of the recipient that was refused, and without an event source new
    /// mail shows when the clock moves.
    private static let notTried: Set = ["aRefusedRecipientIsNamed", "watchingTellsOfNewMail"]
    /// It takes no bytes of zero, and names no limits.
    private static let leftOut: Set = ["zeroBytesComeBack", "quotasKeepTheirIds", "quotasNameWhatTheyLimit"]
    private static let promises = ConformanceCase.all(.account).filter { !notTried.contains($0.name) }

    @Test(.timeLimit(.minutes(5)), arguments: promises)
    func keeps(_ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(try await subject())
        let isLeftOut = ConformanceTests.leftOut.union(Self.leftOut).contains(promise.name)
        #expect(isLeftOut == (verdict != .kept), "\(verdict)")
    }

    private func subject() async throws -> ConformanceSubject {
        let answers = [
            "address": "ada@example.org", "server": LiveNetwork.host, "user": "ada", "password": "secret",
        ]
        return ConformanceSubject(
            formAnswers: answers.mapValues { Secret($0) },
            network: LiveNetwork(port: try await Cyrus.shared.value.port),
            makeProvider: { .account(JMAPProvider($0)) })
    }
}
