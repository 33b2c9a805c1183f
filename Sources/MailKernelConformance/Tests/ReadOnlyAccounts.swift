import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

/// Mistakes in reading that are found where no mail can be made to try them.
enum ReadingFault: String, Sendable, CaseIterable {
    case repeatsMessages, losesTheRest, ignoresTheWindow, bringsEverythingAgain, cutsMessages, forgetsTheBatch

    var promise: String {
        switch self {
        case .repeatsMessages: "mailThatIsThereComesOnce"
        case .losesTheRest: "readingGoesOnFromEveryCursor"
        case .ignoresTheWindow: "readingSinceADateLeavesOlderOut"
        case .bringsEverythingAgain: "readingAgainBringsNothing"
        case .cutsMessages: "mailThatIsThereIsFetched"
        case .forgetsTheBatch: "aBatchOfMailThatIsThereMeansTheSameTwice"
        }
    }
}

@Suite("An account that takes no mail is tried on the mail that is there") struct ReadOnlyAccountTests {
    @Test(arguments: ConformanceCase.all(.account))
    func theReferenceKeeps(_ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(ReadOnlyAccounts.subject(nil))
        if ConformanceCase.forAccountsThatTakeNoMail.contains(promise.name) { #expect(verdict == .kept) }
    }

    @Test(arguments: ReadingFault.allCases)
    func theMistakeIsFound(_ fault: ReadingFault) async throws {
        let promise = try #require(ConformanceCase.all(.account).first { $0.name == fault.promise })
        await #expect(throws: ConformanceFailure.self) {
            try await promise.check(ReadOnlyAccounts.subject(fault))
        }
    }

    @Test func withoutMailThereIsNothingToTry() async throws {
        let promise = try #require(
            ConformanceCase.all(.account).first { $0.name == ReadingFault.repeatsMessages.promise })
        let verdict = try await promise.check(ReadOnlyAccounts.subject(nil, messages: 0))
        #expect(
            verdict
                == .notApplicable("the account takes no mail and has none: put a few messages into it"))
    }
}

/// The reference provider, whose mail can be read and not changed: 200 messages, one an hour.
private struct ReadOnlyAccounts: AccountProvider {
    let real: MemoryAccountProvider
    let fault: ReadingFault?

    static func subject(_ fault: ReadingFault?, messages: Int = 200) -> ConformanceSubject {
        let settings: [String: JSONValue] = [
            "batchSize": 30, "messages": .number(Double(messages)),
            "lacking": ["mailboxChanges", "imports", "submission", "push"],
        ]
        return ConformanceSubject(
            settings: PluginSettings(settings), formAnswers: MemoryAccountPlugin.formAnswers
        ) { host in
            .account(
                ReadOnlyAccounts(real: MemoryAccountPlugin.accountProvider(host: host), fault: fault))
        }
    }

    var setups: [AccountSetup] { real.setups }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        try real.authorize(step)
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        try real.validate(candidate)
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        ReadOnlySession(real: try real.session(for: account, secrets: secrets), fault: fault)
    }
}

private actor ReadOnlySession: AccountSession {
    private let real: any AccountSession
    private let fault: ReadingFault?
    private var asked: [SyncCursor: Int] = [:]

    init(real: any AccountSession, fault: ReadingFault?) {
        self.real = real
        self.fault = fault
    }

    var features: AccountFeatures { get async { await real.features } }

    func mailboxes() async throws(AccountError) -> MailboxListing {
        var listing = try await real.mailboxes()
        for index in listing.mailboxes.indices { listing.mailboxes[index].rights = .readItems }
        return listing
    }

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        let since = fault == .ignoresTheWindow ? nil : since
        var batch = try await real.changes(in: feed, after: cursor, since: since, known: known)
        if let cursor { asked[cursor, default: 0] += 1 }
        switch fault {
        case .repeatsMessages: batch.messages += batch.messages
        // Only a session of its own is missing what another one told.
        case .losesTheRest where cursor != nil && asked.count == 1: batch.messages.removeAll()
        case .forgetsTheBatch where cursor.map { asked[$0] == 3 } == true: batch.messages.removeAll()
        case .bringsEverythingAgain where !batch.hasMore && batch.messages.isEmpty:
            batch = try await real.changes(in: feed, after: nil, since: since, known: known)
        case .losesTheRest, .forgetsTheBatch, .bringsEverythingAgain, .ignoresTheWindow, .cutsMessages, nil:
            break
        }
        return batch
    }

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        let sink: any ByteSink = fault == .cutsMessages ? Cutting(sink: sink) : sink
        try await real.fetch(message, feed: feed, partID: partID, into: sink)
    }

    func apply(_ mutations: [RemoteMutation]) -> [MutationOutcome] {
        mutations.map { _ in .refused(.unsupported("changing mail")) }
    }

    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) throws(AccountError) -> AppendOutcome {
        throw .unsupported("adding mail")
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        try await real.findSent(messageID: messageID)
    }

    func close() async { await real.close() }
}

private struct Cutting: ByteSink {
    let sink: any ByteSink

    func write(_ bytes: Data) async throws { try await sink.write(bytes.dropLast()) }
}
