import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-40: against a service in memory, by password and by token, with an event source and without.
@Suite("A JMAP account keeps what accounts promise") struct ConformanceTests {
    /// Mail is read by the service, every message can be searched for and sent, and nothing is imported.
    static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "withoutSearchItIsUnsupported", "withoutReadingItIsUnsupported", "withoutSubmissionItIsUnsupported",
        "aDemoAsksNothing", "partsComeDecoded", "anEmptyImportHasNoOutcomes", "importedMailIsThere",
        "importingAgainAddsNothing", "importingPutsIntoFurtherMailboxes", "oneBadMessageStopsNoImport",
    ])

    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case password, token, cyrus

        var testDescription: String { rawValue }
    }

    @Test(arguments: Way.allCases, ConformanceCase.all(.account))
    func keeps(_ way: Way, _ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(Subject.make(way))
        #expect(Self.leftOut.contains(promise.name) == (verdict != .kept), "\(verdict)")
    }
}

enum Subject {
    static func make(_ way: ConformanceTests.Way) -> ConformanceSubject {
        var start = MemoryMailbox()
        start.isCyrus = way == .cyrus
        start.quotas = [
            [
                "id": "q1", "resourceType": "octets", "used": 700, "hardLimit": 1_000, "scope": "account",
                "name": "Mail", "types": ["Mail"],
            ]
        ]
        let service = MemoryService(start)
        return ConformanceSubject(
            formAnswers: answers(service, way == .token), network: service,
            makeProvider: { .account(JMAPProvider($0)) })
    }

    static func answers(_ service: MemoryService, _ isToken: Bool) -> [String: Secret] {
        [
            "address": Secret(service.address), "server": Secret(MemoryService.host),
            "signIn": Secret(isToken ? "token" : "password"),
            "password": Secret(isToken ? service.token : service.password),
        ]
    }
}
