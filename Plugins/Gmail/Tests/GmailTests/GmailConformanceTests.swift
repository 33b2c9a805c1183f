import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Gmail

/// FR-ACCT-01, FR-ACCT-04: on a real OAuth server, a real Dovecot and a real submission server.
@Suite(
    "A Gmail account keeps what accounts promise",
    .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"))
struct GmailConformanceTests {
    /// What does not apply: Dovecot has folders, small mail comes as a whole, nothing is imported, and who
    /// signs in again is not asked for the address.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "signingInAgainOffersTheAddress",
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
            return try await promise.check(try await GmailSubject.typed(service))
        }
        #expect(Self.leftOut.contains(promise.name) == (verdict != .kept), "\(verdict)")
    }
}

enum GmailSubject {
    /// A person who types the client into the form.
    static func typed(_ service: MailService) async throws -> ConformanceSubject {
        let client = try await service.newClient()
        let address = MailServers.newAddress()
        let answers = [
            "address": Secret(address), "clientId": Secret(client.id), "clientSecret": Secret(client.secret),
        ]
        return ConformanceSubject(
            settings: service.settings(), formAnswers: answers,
            browser: { try await service.visit($0, as: address) }, network: service.network,
            makeProvider: { .account(GmailProvider($0)) })
    }
}
