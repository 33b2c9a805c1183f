import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAPAccount

/// FR-ACCT-01 for any service: on a real Dovecot and a real submission server.
@Suite(
    "An account by password keeps what accounts promise",
    .enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"))
struct ConformanceTests {
    /// Small mail comes as a whole, and nothing is imported.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "labelsAreTold", "deletingAMailboxSparesLabeledMail", "withoutSearchItIsUnsupported",
        "withoutReadingItIsUnsupported", "quotasNameWhatTheyLimit", "quotasKeepTheirIds",
        "withoutSubmissionItIsUnsupported", "zeroBytesComeBack", "aDemoAsksNothing", "partsComeDecoded",
        "anEmptyImportHasNoOutcomes", "importedMailIsThere", "importingAgainAddsNothing",
        "importingPutsIntoFurtherMailboxes", "oneBadMessageStopsNoImport",
    ])

    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case typedServers, serviceOfTheSettings, browserOfTheSettings

        /// Who signs in again with the browser is asked nothing.
        var leavesOut: Set<String> {
            self == .browserOfTheSettings
                ? ["signingInAgainOffersTheAddress", "aWrongPasswordIsRefused"] : []
        }

        var testDescription: String { rawValue }
    }

    @Test(arguments: Way.allCases, ConformanceCase.all(.account))
    func keeps(_ way: Way, _ promise: ConformanceCase) async throws {
        let verdict = try await Turnstile.dovecot.pass {
            try await promise.check(try await Subject.make(way))
        }
        let isLeftOut = Self.leftOut.union(way.leavesOut).contains(promise.name)
        #expect(isLeftOut == (verdict != .kept), "\(verdict)")
    }
}

enum Subject {
    /// Dovecot listens on 127.0.0.2 for TLS that begins later: on 127.0.0.1 it takes the clear for safe.
    static func service(_ place: IMAPTestSupport.MailService.Place) -> JSONValue {
        [
            "name": "Example", "domains": ["example.test"],
            "imap": ["host": "127.0.0.2", "port": .number(Double(place.starttls)), "security": "startTLS"],
            "submission": [
                "host": "localhost", "port": .number(Double(place.submission)), "security": "startTLS",
            ],
        ]
    }

    static func make(_ way: ConformanceTests.Way) async throws -> ConformanceSubject {
        let mail = try await IMAPTestSupport.MailService.usual()
        let place = mail.place
        var answers = [
            "name": "Ada Lovelace", "address": MailServers.newAddress(),
            "password": MailServers.password.revealed,
        ]
        var settings = PluginSettings()
        var setup: String?
        let address = answers["address"] ?? ""
        switch way {
        case .browserOfTheSettings:
            let client = try await mail.newClient()
            let oauth: JSONValue = [
                "authorizationUrl": .string("\(mail.oauth)/o/oauth2/v2/auth"),
                "tokenUrl": .string("\(mail.oauth)/token"), "revocationUrl": .string("\(mail.oauth)/revoke"),
                "scopes": ["https://mail.google.com/"], "parameters": ["access_type": "offline"],
                "clientId": .string(client.id), "clientSecret": .string(client.secret),
            ]
            var example = service(place).objectValue ?? [:]
            example["oauth"] = oauth
            settings = PluginSettings(["services": ["example": .object(example)]])
            answers["password"] = nil
            setup = "service-example"
        case .serviceOfTheSettings:
            settings = PluginSettings(["services": ["example": service(place)]])
        case .typedServers:
            answers["imapHost"] = "LocalHost"
            answers["imapPort"] = "\(place.imaps)"
            answers["smtpHost"] = " localhost. "
            answers["smtpPort"] = "\(place.submissions)"
        }
        return ConformanceSubject(
            settings: settings, setupID: setup, formAnswers: answers.mapValues { Secret($0) },
            browser: { try await mail.visit($0, as: address) }, network: mail.network,
            makeProvider: { .account(IMAPAccountProvider($0)) })
    }
}
