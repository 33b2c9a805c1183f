import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import MicrosoftGraph

/// ACC-120: against Microsoft Graph in memory, with the sign-in in the browser.
@Suite("A Microsoft Graph account keeps what accounts promise") struct GraphConformanceTests {
    /// Graph has folders; small mail comes as a whole; it takes mail for every address; who signs in again goes to
    /// the browser at once.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "signingInAgainOffersTheAddress", "aWrongPasswordIsRefused", "aDemoAsksNothing", "labelsAreTold",
        "deletingAMailboxSparesLabeledMail", "partsComeDecoded", "withoutSubmissionItIsUnsupported",
        "aRefusedRecipientIsNamed", "quotasNameWhatTheyLimit", "quotasKeepTheirIds",
        "anEmptyImportHasNoOutcomes", "importedMailIsThere", "importingAgainAddsNothing",
        "importingPutsIntoFurtherMailboxes", "oneBadMessageStopsNoImport", "searchFindsBySubject",
        "searchFindsOlderMail", "foundMailCanBeRead",
    ])

    /// These add a message with 5 MB of text; Graph takes 3 MB. `GraphReadingTests` reads larger ones.
    private static let tooLarge: Set = [
        "largeMailComesBack", "fetchingTwiceIsTheSame", "aCancelledFetchEndsSoon",
    ]

    @Test(arguments: ConformanceCase.all(.account))
    func keeps(_ promise: ConformanceCase) async throws {
        var start = GraphMailbox()
        // So that 60 messages are several pages.
        start.mostOnPage = 25
        let server = GraphServer(start)
        let subject = ConformanceSubject(
            settings: PluginSettings(["clientId": "1b2c3d4e-0000-4000-8000-000000000000"]),
            formAnswers: ["address": Secret(GraphMailbox.address)],
            browser: { GraphLogin.visit($0) }, network: server,
            makeProvider: { .account(GraphProvider($0.hastened)) })
        if Self.tooLarge.contains(promise.name) {
            let error = await #expect(throws: AccountError.self) { try await promise.check(subject) }
            if case .refused? = error { return }
            Issue.record("\(promise.name): \(String(describing: error))")
        }
        let verdict = try await promise.check(subject)
        #expect(Self.leftOut.contains(promise.name) == (verdict != .kept), "\(promise.name): \(verdict)")
    }
}

extension HostServices {
    /// With pauses of no length: the plugin asks at intervals.
    var hastened: HostServices {
        HostServices(
            pluginID: pluginID, log: log, settings: settings, secrets: secrets, dataFolder: dataFolder,
            clock: HastyClock(), network: network)
    }
}

private struct HastyClock: HostClock {
    var now: Date { Date() }

    func sleep(for seconds: Double) async throws(CancellationError) {
        do {
            try await Task.sleep(for: .milliseconds(20))
        } catch {
            throw CancellationError()
        }
    }
}
