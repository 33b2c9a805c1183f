import Foundation
import TestSupport
import Testing

/// FR-SYNC-05: the whole program, over JMAP. `PAIRS` in the environment says how many messages are made and destroyed;
/// `make soak` makes 2,000 in each place.
@Suite(
    "What is destroyed right after it was made stays away",
    .enabled(if: MailServiceProcess.isInstalled, "dovecot-imapd is not installed"), .timeLimit(.minutes(60)))
struct MadeAndDestroyedTests {
    private static let pairs = ProcessInfo.processInfo.environment["PAIRS"] ?? "20"

    @Test(arguments: ["device", "server", "slow"]) func noneComesBack(_ place: String) async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        #expect(made.status == 0, "\(made.errors)")
        let script = Checkout.root.appending(path: "Tests/Servers/second_thoughts.py").path
        let result = try await Command.run(
            TestServers.python, ["-B", script, Checkout.program.path, place, Self.pairs])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
}
