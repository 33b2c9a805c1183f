import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

/// One way that the reference server can be.
struct MailServerKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let settings: [String: JSONValue]
    /// The promises that do not apply to it, by their names.
    let leavesOut: Set<String>

    var subject: ConformanceSubject {
        ConformanceSubject(
            MemoryAccountPlugin.self, settings: PluginSettings(settings),
            formAnswers: MemoryAccountPlugin.formAnswers)
    }

    static let always = ConformanceCase.forAccountsThatTakeNoMail.union([
        "partsComeDecoded", "withoutSubmissionItIsUnsupported", "withoutSearchItIsUnsupported",
        "withoutReadingItIsUnsupported",
        "withoutImportsItIsUnsupported",
    ])

    static let all = [
        MailServerKind(testDescription: "labels", settings: [:], leavesOut: always),
        MailServerKind(
            testDescription: "folders, four changes at a time",
            settings: ["layout": "folders", "batchSize": 4],
            leavesOut: always.union([
                "deletingAMailboxSparesLabeledMail", "labelsAreTold", "appendTellsTheId",
                "quotasNameWhatTheyLimit", "quotasKeepTheirIds",
            ])),
        MailServerKind(
            testDescription: "able to do little",
            settings: [
                "batchSize": 1, "messages": 0,
                "lacking": [
                    "push", "submission", "savesSentCopies", "mailboxChanges", "serverSearch", "keywords",
                    "imports", "olderMail",
                ],
            ],
            leavesOut: ConformanceCase.forAccountsThatTakeNoMail.union([
                "partsComeDecoded", "aMailboxIsMadeOnce", "aMailboxIsRenamed", "aDeletedMailboxIsGone",
                "deletingAMailboxSparesLabeledMail", "aMailboxBelowNothingIsRefused",
                "theUsersKeywordsAreKept",
                "mailToOneselfArrives", "aRefusedRecipientIsNamed", "nobodyToSendToIsRejected",
                "aBrokenMessageIsNotSent", "watchingBeginsWithListening", "watchingTellsOfNewMail",
                "closingEndsWatching", "searchFindsBySubject", "searchFindsOlderMail", "foundMailCanBeRead",
                "importedMailIsThere",
                "importingAgainAddsNothing", "importingPutsIntoFurtherMailboxes",
                "oneBadMessageStopsNoImport", "anEmptyImportHasNoOutcomes",
            ])),
    ]
}

/// What holds for the reference on three quite different servers can be held against any provider. No
/// requirement is named here: they are about the program and its real providers.
@Suite("The reference accounts keep what accounts promise") struct MemoryAccountPromises {
    @Test(arguments: MailServerKind.all, ConformanceCase.all(.account))
    func keep(_ server: MailServerKind, _ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(server.subject)
        let isLeftOut = server.leavesOut.contains(promise.name)
        #expect(isLeftOut == (verdict != .kept), "\(verdict)")
    }
}

@Suite("A promise that is broken is found") struct BrokenAccountTests {
    @Test(arguments: AccountFault.allCases)
    func theMistakeIsFound(_ fault: AccountFault) async throws {
        let promise = try #require(ConformanceCase.all(.account).first { $0.name == fault.promise })
        await #expect(throws: (any Error).self) { try await promise.check(BrokenAccounts.subject(fault)) }
    }

    @Test func promisesHaveNamesOfTheirOwn() {
        for kind in PluginKind.allCases {
            let names = ConformanceCase.all(kind).map(\.name)
            #expect(Set(names).count == names.count)
        }
    }
}

@Suite("The server in memory does what tests ask of it") struct MemoryMailServerTests {
    private let server = MemoryMailServer(
        logins: MemoryAccountPlugin.logins, batchSize: 50, clock: ManualClock())

    private func session(password: String = "lovelace") throws -> any AccountSession {
        let secrets = MemorySecrets()
        secrets.store(Secret(password), named: "password")
        let account = Account(
            id: Id("a"), pluginID: "memory", address: "ada@example.org", displayName: "Ada", addedAt: Date(),
            settings: ["address": "ada@example.org"])
        return try MemoryAccountProvider(server: server).session(for: account, secrets: secrets)
    }

    private func everything(_ session: any AccountSession) async throws -> [ChangeBatch] {
        var batches: [ChangeBatch] = []
        repeat {
            batches.append(
                try await session.changes(
                    in: FeedID("everything"), after: batches.last?.cursor, since: nil, known: HeldMessages()))
        } while batches.last?.hasMore == true
        return batches
    }

    @Test func tellsOfMailInBatchesWithProgress() async throws {
        server.fill("ada@example.org", count: 120)
        let batches = try await everything(try session())
        #expect(batches.map(\.messages.count) == [50, 50, 20])
        #expect(batches.map(\.progress?.done) == [50, 100, 120])
        let dates = batches.flatMap(\.messages).map(\.receivedAt)
        #expect(dates == dates.sorted(by: >))
    }

    /// As after a change of UIDVALIDITY.
    @Test func expiredCursorsBeginAnew() async throws {
        server.fill("ada@example.org", count: 3)
        let session = try session()
        let last = try #require(try await everything(session).last)
        server.expireCursors(of: "ada@example.org")
        await #expect(throws: AccountError.cursorExpired) {
            try await session.changes(
                in: FeedID("everything"), after: last.cursor, since: nil, known: HeldMessages())
        }
        #expect(try await everything(session).flatMap(\.messages).count == 3)
    }

    @Test func anOutageFailsCallsAndEndsWatching() async throws {
        let session = try session()
        var events = session.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        server.setOutage(.offline)
        await #expect(throws: AccountError.offline) { try await session.mailboxes() }
        await #expect(throws: AccountError.offline) { try await events.next() }
        server.setOutage(nil)
        #expect(try await session.mailboxes().feeds.count == 1)
        #expect(server.watchers(of: "ada@example.org") == 0)
    }

    @Test func anotherPasswordEndsTheSignIn() async throws {
        let session = try session()
        server.setPassword(Secret("difference"), of: "ada@example.org")
        await #expect(
            throws: AccountError.authenticationRequired(reason: "The address or the password is wrong.")
        ) {
            try await session.mailboxes()
        }
    }

    @Test func mailReachesTheOtherAccount() async throws {
        let message = Data("Subject: Hello\r\nMessage-ID: <1@example.org>\r\n\r\nHi\r\n".utf8)
        let envelope = Envelope(
            mailFrom: "ada@example.org", rcptTo: ["Grace@example.org", "nobody@example.org"])
        let outcome = try await session().submit(DataSource(message), envelope: envelope)
        let refused = SubmissionReply(code: 550, enhancedCode: "5.1.1", text: "No such user here")
        #expect(
            outcome
                == .accepted(
                    SubmissionReply(code: 250, enhancedCode: "2.0.0", text: "OK"),
                    refused: ["nobody@example.org": refused]))
        #expect(server.messages(of: "grace@example.org").map(\.subject) == ["Hello"])
        #expect(server.messages(of: "ada@example.org").map(\.mailboxIDs) == [[RemoteMailboxID("sent")]])
        #expect(try await session().findSent(messageID: "<1@example.org>"))
    }

    @Test(arguments: [
        "1", "a.b.c", "1.5.2", "1.0.0.0.0.0", "..", "1.0.0.18446744073709551615",
        "9007199254740993.0.0", "1.0.99",
    ])
    func cursorsOfNobodyExpire(_ text: String) async throws {
        let session = try session()
        await #expect(throws: AccountError.cursorExpired) {
            try await session.changes(
                in: FeedID("everything"), after: SyncCursor(rawValue: text), since: nil, known: HeldMessages()
            )
        }
    }
}
