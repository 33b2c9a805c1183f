import Compose
import FoundationEssentials
import MailKernelAPI
import Rules
import Store
import Sync
import Synchronization

/// The state of the session when it could last be read.
final class LastSession: Sendable {
    let state = Mutex("unknown")
}

extension MailJMAPService {
    public func session(
        for client: JMAPClient, at urls: SessionURLs
    ) async throws(RequestProblem) -> Data {
        try checkLock(for: client)
        let accounts: [Account]
        var described: [String: JSONValue] = [:]
        do throws(StorageError) {
            accounts = try await kernel.store.read.accounts()
            for account in accounts {
                described[account.id.rawValue] = try await describe(account, client)
            }
        } catch {
            throw RequestProblem(status: 503, detail: error.sentence)
        }
        described[ProgramAccount.id.rawValue] = [
            "name": "This program", "isPersonal": true, "isReadOnly": .bool(!client.mayWrite),
            "accountCapabilities": Self.empty(Capability.ofProgram),
        ]
        let primary = try await primaryAccounts(accounts, described)
        return JSONWriter.write([
            "capabilities": .object(await capabilities(urls)),
            "accounts": .object(described),
            "primaryAccounts": .object(primary),
            "username": .string(client.name),
            "apiUrl": .string(urls.api),
            "downloadUrl": .string(urls.download),
            "uploadUrl": .string(urls.upload),
            "eventSourceUrl": .string(urls.eventSource),
            "state": .string(try await sessionState()),
        ])
    }

    private func primaryAccounts(
        _ accounts: [Account], _ described: [String: JSONValue]
    ) async throws(RequestProblem) -> [String: JSONValue] {
        var primary = Dictionary(
            Capability.ofProgram.map { ($0.rawValue, JSONValue.string(ProgramAccount.id.rawValue)) },
            uniquingKeysWith: { first, _ in first })
        if let first = try await primaryAccount(accounts) {
            for capability: Capability in [.mail, .blob, .compose, .quota, .sieve, .vacation] {
                primary[capability.rawValue] = .string(first.rawValue)
            }
        }
        let sending = accounts.filter { account in
            described[account.id.rawValue]?["accountCapabilities"]?[Capability.submission.rawValue] != nil
        }
        if let first = try await primaryAccount(sending) {
            for capability: Capability in [.submission, .mdn] {
                primary[capability.rawValue] = .string(first.rawValue)
            }
        }
        return primary
    }

    /// Changes whenever the session object does: with the accounts, their capabilities, and the default
    /// account.
    func sessionState() async throws(RequestProblem) -> String {
        do {
            return try await readSessionState()
        } catch {
            throw RequestProblem(status: 503, detail: error.sentence)
        }
    }

    /// The same for an answer, which can be about something else than the store: the last known state while a server
    /// that keeps the store does not respond.
    func sessionStateIfKnown() async throws(RequestProblem) -> String {
        if await kernel.storeWatch.problem != nil { return lastSession.state.withLock { $0 } }
        do throws(StorageError) {
            let state = try await readSessionState()
            lastSession.state.withLock { $0 = state }
            return state
        } catch .unreachable {
            return lastSession.state.withLock { $0 }
        } catch {
            throw RequestProblem(status: 503, detail: error.sentence)
        }
    }

    private func readSessionState() async throws(StorageError) -> String {
        let accounts = try await kernel.store.read.state(of: .account, in: nil)
        let preferences = try await kernel.store.read.state(of: Preferences.dataType, in: nil)
        var features = ""
        for account in try await kernel.store.read.accounts() {
            features += "-\(try await kernel.knownFeatures.features(of: account.id).rawValue)"
        }
        return "\(accounts)-\(preferences)\(features)-\(await kernel.intelligence.offers.mark)"
    }

    private func primaryAccount(_ accounts: [Account]) async throws(RequestProblem) -> Id<Account>? {
        let chosen: String?
        do {
            chosen = try await kernel.preferences.value(.defaultSendingAccount).stringValue
        } catch {
            throw RequestProblem(status: 503, detail: error.sentence)
        }
        return accounts.first { $0.id.rawValue == chosen }?.id
            ?? accounts.min { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }?.id
    }

    private func capabilities(_ urls: SessionURLs) async -> [String: JSONValue] {
        let offers = await kernel.intelligence.offers
        var all = Dictionary(
            Capability.allCases.map { ($0.rawValue, JSONValue.object([:])) },
            uniquingKeysWith: { first, _ in first })
        all[Capability.core.rawValue] = [
            "maxSizeUpload": .number(Double(limits.maxSizeUpload)),
            "maxConcurrentUpload": .number(Double(limits.maxConcurrentUpload)),
            "maxSizeRequest": .number(Double(limits.maxSizeRequest)),
            "maxConcurrentRequests": .number(Double(limits.maxConcurrentRequests)),
            "maxCallsInRequest": .number(Double(limits.maxCallsInRequest)),
            "maxObjectsInGet": .number(Double(limits.maxObjectsInGet)),
            "maxObjectsInSet": .number(Double(limits.maxObjectsInSet)),
            "collationAlgorithms": .array(Comparator.collations.map { .string($0) }),
        ]
        all[Capability.webSocket.rawValue] = ["url": .string(urls.webSocket), "supportsPush": true]
        all[Capability.sieve.rawValue] = ["implementation": "mailkernel"]
        all[Capability.models.rawValue] = [
            "categories": .bool(offers.categories), "replies": .bool(offers.replies),
            "summaries": .bool(offers.summaries),
        ]
        return all
    }

    private func describe(_ account: Account, _ client: JMAPClient) async throws(StorageError) -> JSONValue {
        let features = try await kernel.knownFeatures.features(of: account.id)
        var capabilities: [String: JSONValue] = [
            Capability.core.rawValue: [:],
            Capability.actions.rawValue: [:],
            Capability.blob.rawValue: BlobMethods.capability(limits),
            Capability.models.rawValue: [:],
            Capability.quota.rawValue: [:],
            Capability.reading.rawValue: [
                "hasOlderMail": .bool(OlderMail.isOffered(by: account, features))
            ],
            Capability.rules.rawValue: [:],
            Capability.senders.rawValue: [:],
            Capability.sieve.rawValue: Self.sieve,
            Capability.vacation.rawValue: [:],
            Capability.mail.rawValue: [
                "maxMailboxesPerEmail": features.contains(.labels) ? .null : 1,
                "maxMailboxDepth": .null,
                "maxSizeMailboxName": .number(Double(MailboxMethods.maxNameBytes)),
                "maxSizeAttachmentsPerEmail": .number(Double(DraftContent.maxAttachmentBytes)),
                "emailQuerySortOptions": .array(EmailQueryArguments.sortOptions.map { .string($0) }),
                "mayCreateTopLevelMailbox": .bool(features.contains(.mailboxChanges)),
            ],
        ]
        capabilities[Capability.compose.rawValue] = [
            "maxSizeMessage": .number(Double(DraftContent.maxMessageBytes))
        ]
        if features.contains(.submission) {
            capabilities[Capability.submission.rawValue] = FutureRelease.capability
            capabilities[Capability.mdn.rawValue] = [:]
        }
        return [
            "name": .string(account.address), "isPersonal": true, "isReadOnly": .bool(!client.mayWrite),
            "accountCapabilities": .object(capabilities),
        ]
    }

    private static let sieve: JSONValue = [
        "maxSizeScriptName": .number(Double(UserScripts.maxName)),
        "maxSizeScript": .number(Double(UserScripts.maxSize)),
        "maxNumberScripts": .number(Double(UserScripts.most)),
        "maxNumberRedirects": .number(Double(Rulebook.mostRedirects)),
        "sieveExtensions": .array(Rulebook.extensions.map { .string($0) }),
        "notificationMethods": ["mailto"], "externalLists": .null,
    ]

    private static func empty(_ capabilities: [Capability]) -> JSONValue {
        .object(
            Dictionary(
                capabilities.map { ($0.rawValue, JSONValue.object([:])) },
                uniquingKeysWith: { first, _ in first }))
    }
}
