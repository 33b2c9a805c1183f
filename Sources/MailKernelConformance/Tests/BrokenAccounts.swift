import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// Mistakes that a provider could make, and the promise that finds each.
enum AccountFault: String, Sendable, CaseIterable {
    case repeatsMessages, oldestFirst, ignoresTheWindow, losesUpdates, losesRemovals, losesTheRest
    case acceptsAnyCursor, losesZeroBytes, keepsWhatIsReplaced, addsHalfMessages, refusesWhatIsDone,
        stopsAtRefusals
    case storesSecretsEarly, acceptsAnyPassword, acceptsEmptyForms, putsSecretsIntoSettings
    case acceptsAnybody, findsAnythingSent, neverTells, losesBranches, saysOfflineWhenCancelled
    case offersNothing, asksInTheDemo, signsInNobody, forgetsTheAddress, signsInAnybodyAgain
    case importsTwice, importsNowhereElse, stopsAtBadMail, losesImportedKeywords, repeatsQuotas, renamesQuotas

    var promise: String {
        switch self {
        case .repeatsMessages: "aFirstSyncTellsEachMessageOnce"
        case .oldestFirst: "newMailComesNewestFirst"
        case .ignoresTheWindow: "oldMailIsLeftOut"
        case .losesUpdates: "changedKeywordsAreTold"
        case .losesRemovals: "destroyedMailIsTold"
        case .losesTheRest: "aSyncGoesOnFromEveryCursor"
        case .acceptsAnyCursor: "aForeignCursorExpires"
        case .losesZeroBytes: "zeroBytesComeBack"
        case .keepsWhatIsReplaced: "replacingLeavesOne"
        case .addsHalfMessages: "aBrokenSourceAddsNothing"
        case .refusesWhatIsDone: "aMailboxIsMadeOnce"
        case .stopsAtRefusals: "anOutcomeForEachInOrder"
        case .storesSecretsEarly: "signingInStoresNothing"
        case .acceptsAnyPassword: "aWrongPasswordIsRefused"
        case .acceptsEmptyForms: "aMissingAnswerIsInvalid"
        case .putsSecretsIntoSettings: "settingsHoldNoSecret"
        case .acceptsAnybody: "nobodyToSendToIsRejected"
        case .findsAnythingSent: "unsentMailIsNotFound"
        case .neverTells: "watchingTellsOfNewMail"
        case .losesBranches: "parentsComeBeforeTheirChildren"
        case .saysOfflineWhenCancelled: "aCancelledSyncEndsSoon"
        case .offersNothing: "setupsNameTheService"
        case .asksInTheDemo: "aDemoAsksNothing"
        case .signsInNobody: "candidatesAreAccountsOfTheirOwn"
        case .forgetsTheAddress: "signingInAgainOffersTheAddress"
        case .signsInAnybodyAgain: "signingInAgainIsTheSameAccount"
        case .importsTwice: "importingAgainAddsNothing"
        case .importsNowhereElse: "importingPutsIntoFurtherMailboxes"
        case .stopsAtBadMail: "oneBadMessageStopsNoImport"
        case .losesImportedKeywords: "importedMailIsThere"
        case .repeatsQuotas: "quotasNameWhatTheyLimit"
        case .renamesQuotas: "quotasKeepTheirIds"
        }
    }
}

/// The reference provider with one mistake.
struct BrokenAccounts: AccountProvider {
    let real: MemoryAccountProvider
    let fault: AccountFault
    let secrets: any SecretStore

    static func subject(_ fault: AccountFault) -> ConformanceSubject {
        let settings = PluginSettings(["batchSize": 7])
        return ConformanceSubject(settings: settings, formAnswers: MemoryAccountPlugin.formAnswers) { host in
            let real = MemoryAccountPlugin.accountProvider(host: host)
            return .account(BrokenAccounts(real: real, fault: fault, secrets: host.secrets))
        }
    }

    var setups: [AccountSetup] { fault == .offersNothing ? [] : real.setups }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        switch (fault, step) {
        case (.acceptsEmptyForms, .form(let answers, _)):
            return .finished([AccountCandidate(settings: ["address": "ada@example.org"], secrets: answers)])
        case (.asksInTheDemo, .begin(let request)), (.forgetsTheAddress, .begin(let request)):
            return try real.authorize(
                .begin(AuthorizationRequest(setupID: real.setups[0].id, redirect: request.redirect)))
        case (.signsInAnybodyAgain, .begin(let request)) where request.account != nil:
            let other = AccountCandidate(
                settings: ["address": "grace@example.org"], secrets: ["password": Secret("hopper")])
            return .finished([other])
        default: break
        }
        let next = try real.authorize(step)
        guard case .finished(let candidates) = next, var candidate = candidates.first else { return next }
        if fault == .signsInNobody { return .finished([]) }
        if fault == .storesSecretsEarly { try? await secrets.store(Secret("x"), named: "early") }
        if fault == .putsSecretsIntoSettings {
            candidate.settings["login"] = .string("ada:\(candidate.secrets["password"]?.revealed ?? "")")
        }
        return .finished([candidate])
    }

    func validate(_ candidate: AccountCandidate) throws(AccountError) -> ValidatedAccount {
        var candidate = candidate
        if fault == .acceptsAnyPassword { candidate.secrets = MemoryAccountPlugin.formAnswers }
        return try real.validate(candidate)
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) throws(AccountError) -> any AccountSession {
        BrokenSession(real: try real.session(for: account, secrets: secrets), fault: fault)
    }
}

private struct BrokenSession: AccountSession {
    let real: any AccountSession
    let fault: AccountFault

    var features: AccountFeatures { get async { await real.features } }

    func mailboxes() async throws(AccountError) -> MailboxListing {
        var listing = try await real.mailboxes()
        if fault == .losesBranches { listing.mailboxes.reverse() }
        return listing
    }

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        do throws(AccountError) {
            let since = fault == .ignoresTheWindow ? nil : since
            return broken(try await real.changes(in: feed, after: cursor, since: since, known: known))
        } catch {
            switch error {
            case .cursorExpired where fault == .acceptsAnyCursor:
                return try await real.changes(in: feed, after: nil, since: since, known: known)
            case .cancelled where fault == .saysOfflineWhenCancelled: throw .offline
            default: throw error
            }
        }
    }

    private func broken(_ batch: ChangeBatch) -> ChangeBatch {
        var batch = batch
        switch fault {
        case .repeatsMessages: batch.messages += batch.messages
        case .oldestFirst: batch.messages.reverse()
        case .losesUpdates: batch.updates = []
        case .losesRemovals: batch.removed = []
        // A cursor that stands behind what was not told.
        case .losesTheRest where batch.hasMore && batch.messages.count > 1: batch.messages.removeLast()
        default: break
        }
        return batch
    }

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        let sink: any ByteSink = fault == .losesZeroBytes ? WithoutZeros(sink: sink) : sink
        try await real.fetch(message, feed: feed, partID: partID, into: sink)
    }

    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        var outcomes: [MutationOutcome] = []
        for mutation in mutations {
            if case .refused = outcomes.last, fault == .stopsAtRefusals {
                outcomes.append(.notTried)
            } else if case .createMailbox(let name, _) = mutation, fault == .refusesWhatIsDone,
                try await real.mailboxes().mailboxes.contains(where: { $0.name == name })
            {
                outcomes.append(.refused(.refused("It exists.")))
            } else {
                outcomes += try await real.apply([mutation])
            }
        }
        return outcomes
    }

    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        do throws(AccountError) {
            return try await real.append(
                message, to: mailbox, keywords: keywords, receivedAt: receivedAt,
                replacing: fault == .keepsWhatIsReplaced ? nil : replacing)
        } catch {
            if fault == .addsHalfMessages {
                _ = try await real.append(
                    DataSource(Data("Subject: half\r\n\r\n".utf8)), to: mailbox, keywords: keywords,
                    receivedAt: receivedAt, replacing: nil)
            }
            throw error
        }
    }

    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        var outcomes: [ImportOutcome] = []
        for message in messages {
            if fault == .stopsAtBadMail, case .refused(let error) = outcomes.last { throw error }
            outcomes += try await importMessage(message)
        }
        return outcomes
    }

    private func importMessage(_ message: ImportedMessage) async throws(AccountError) -> [ImportOutcome] {
        var message = message
        if fault == .losesImportedKeywords { message.keywords = [] }
        if fault == .importsTwice, let mailbox = message.mailboxIDs.first {
            let added = try await append(
                message.bytes, to: mailbox, keywords: message.keywords, receivedAt: message.receivedAt,
                replacing: nil)
            return [.added(added.address)]
        }
        if fault == .importsNowhereElse {
            // As if to a mailbox where it may be already, whatever was asked for.
            let first = try await real.mailboxes().mailboxes.first { $0.name.hasSuffix("work 0") }
            message.mailboxIDs = first.map { [$0.id] } ?? message.mailboxIDs
        }
        return try await real.importMessages([message])
    }

    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        let outcome = try await real.submit(message, envelope: envelope)
        guard fault == .acceptsAnybody, case .rejected(let reply, let refused) = outcome else {
            return outcome
        }
        return .accepted(reply, refused: refused)
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        if fault == .findsAnythingSent { return true }
        return try await real.findSent(messageID: messageID)
    }

    func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        fault == .neverTells ? AsyncThrowingStream { $0.finish() } : real.watch()
    }

    func quotas() async throws(AccountError) -> [AccountQuota] {
        var quotas = try await real.quotas()
        if fault == .repeatsQuotas { quotas += quotas }
        if fault == .renamesQuotas {
            for index in quotas.indices { quotas[index].id = Id("\(UInt64.random(in: 0...(.max)))") }
        }
        return quotas
    }

    func close() async { await real.close() }
}

private struct WithoutZeros: ByteSink {
    let sink: any ByteSink

    func write(_ bytes: Data) async throws {
        try await sink.write(bytes.filter { $0 != 0 })
    }
}
