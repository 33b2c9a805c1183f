import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAPAccount

/// FR-ACCT-01: receiving and sending are both tried, and what is wrong is said.
@Suite(
    "An account is added only if it works",
    .enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"), .timeLimit(.minutes(10)))
struct TrialTests {
    /// An address for each test: a server that makes the mailboxes of a new user for several connections at
    /// once may break one of them off.
    private let address = MailServers.newAddress()

    private func validate(
        password: String = MailServers.password.revealed, _ change: (inout MailPlace) -> Void = { _ in }
    ) async throws(AccountError) -> ValidatedAccount {
        guard let mail = try? await IMAPTestSupport.MailService.usual() else { throw .offline }
        var place = MailPlace(
            AccountForms.Person(address: address, password: "", name: "Ada"), user: address,
            imap: MailServer("localhost", port: mail.place.imaps),
            submission: MailServer("localhost", port: mail.place.submissions))
        change(&place)
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: MemorySecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(),
            network: mail.network)
        return try await IMAPAccountProvider(host).validate(place.candidate(password: password))
    }

    @Test func whoeverItIsIsSaid() async throws {
        let validated = try await validate()
        #expect(validated.displayName == "Ada")
        #expect(validated.identities == [EmailAddress(name: "Ada", email: address)])
    }

    @Test func aWrongPasswordIsSaidWithWhatTheServiceWants() async throws {
        let error = await #expect(throws: AccountError.self) {
            try await validate(password: "hunter2-wrong") { $0.service = "fastmail" }
        }
        guard case .authenticationRequired(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasSuffix("often called an app password."))
        #expect(!reason.contains("hunter2-wrong"))
    }

    @Test func aServerForSendingThatIsNotThereIsNamed() async throws {
        let error = await #expect(throws: AccountError.self) {
            try await validate { $0.submission.endpoint.port = 1 }
        }
        guard case .unreachable("localhost", let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasSuffix(". Receiving works, but sending does not."))
    }

    @Test func aServerWithoutTLSIsRefused() async throws {
        let mail = try await IMAPTestSupport.MailService.usual()
        // TLS from the start where it begins later.
        let error = await #expect(throws: AccountError.self) {
            try await validate { $0.submission.endpoint.port = mail.place.submission }
        }
        guard case .insecure("localhost", let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            reason.hasSuffix(
                ". Receiving works, but sending does not. Some servers use STARTTLS on a different port."),
            "\(reason)")
    }
}
