import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// The library on a server that is to clients what Gmail is.
struct LabelProvider: AccountProvider {
    let host: HostServices

    var setups: [AccountSetup] {
        [AccountSetup(id: "account", title: "Add a test account", serviceName: "Labels")]
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        .finished([AccountCandidate(settings: [:], secrets: ["token": Secret("good")])])
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        ValidatedAccount(
            address: "me@gmail.test", displayName: "Me",
            identities: [EmailAddress(email: "me@gmail.test")])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        IMAPAccountSession(Self.configuration(secrets), host: host)
    }

    static func configuration(_ secrets: any SecretStore) -> IMAPConfiguration {
        IMAPConfiguration(
            imap: MailServer("imap.gmail.test", port: 993), submission: nil,
            login: .oauth(user: "me@gmail.test") { _ throws(AccountError) in
                do throws(SecretError) {
                    if let secret = try await secrets.secret(named: "token") { return secret }
                } catch {
                    throw .secrets(error)
                }
                throw .authenticationRequired(reason: "The token is missing.")
            })
    }
}

@Suite("An account with labels keeps what accounts promise") struct LabelPromises {
    /// It signs in without a form, and neither sends nor imports.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "formsCanBeFilledIn", "aDemoAsksNothing", "aWrongPasswordIsRefused", "aMissingAnswerIsInvalid",
        "signingInAgainOffersTheAddress", "importingAgainAddsNothing", "oneBadMessageStopsNoImport",
        "aRefusedRecipientIsNamed", "aBrokenMessageIsNotSent", "importedMailIsThere",
        "anEmptyImportHasNoOutcomes", "nobodyToSendToIsRejected", "withoutSearchItIsUnsupported",
        "withoutReadingItIsUnsupported",
        "mailToOneselfArrives", "importingPutsIntoFurtherMailboxes", "zeroBytesComeBack", "partsComeDecoded",
    ])

    @Test(arguments: ConformanceCase.all(.account))
    func keep(_ promise: ConformanceCase) async throws {
        let server = GmailServer()
        let network = MemoryNetwork { server.session() }
        let verdict = try await promise.check(
            ConformanceSubject(network: network) { .account(LabelProvider(host: $0)) })
        #expect(Self.leftOut.contains(promise.name) == (verdict != .kept), "\(verdict)")
        #expect(network.mostOpen <= 10, "two sessions at once, of five connections each")
    }
}
