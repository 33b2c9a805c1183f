import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Microsoft

/// ACC-82: on a real OAuth server, a real Dovecot and a real submission server.
@Suite(
    "A Microsoft account keeps what accounts promise",
    .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"))
struct MicrosoftConformanceTests {
    /// What does not apply: Dovecot has folders, small mail comes as a whole, nothing is imported, and who
    /// signs in again is not asked for the address.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "signingInAgainOffersTheAddress", "aWrongPasswordIsRefused",
        "labelsAreTold", "deletingAMailboxSparesLabeledMail", "withoutSearchItIsUnsupported",
        "withoutReadingItIsUnsupported", "quotasNameWhatTheyLimit", "quotasKeepTheirIds",
        "withoutSubmissionItIsUnsupported", "zeroBytesComeBack", "aDemoAsksNothing", "partsComeDecoded",
        "anEmptyImportHasNoOutcomes", "importedMailIsThere", "importingAgainAddsNothing",
        "importingPutsIntoFurtherMailboxes", "oneBadMessageStopsNoImport",
    ])

    @Test(arguments: ConformanceCase.all(.account))
    func keeps(_ promise: ConformanceCase) async throws {
        let verdict = try await Turnstile.dovecot.pass {
            let service = try await MailService.gmail()
            let client = try await service.newClient()
            let address = MailServers.newAddress()
            let answers = ["address": Secret(address), "clientId": Secret(client.id)]
            return try await promise.check(
                ConformanceSubject(
                    settings: service.settings(), formAnswers: answers,
                    browser: { try await service.visit($0, as: address) }, network: service.network,
                    makeProvider: { .account(MicrosoftProvider($0)) }))
        }
        #expect(Self.leftOut.contains(promise.name) == (verdict != .kept), "\(promise.name): \(verdict)")
    }
}
