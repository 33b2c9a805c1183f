import Accounts
import Care
import Compose
import FoundationEssentials
import Intelligence
import Kernel
import Mail
import MailKernelAPI
import Store
import Sync

extension MailJMAPService {
    /// A slow client is not sent every state in between: it is asked for the next event only when it has
    /// taken the last one, and then told the newest states.
    public func events(_ subscription: EventSubscription, for client: JMAPClient) -> AsyncStream<PushEvent> {
        let listener = EventListener(kernel, subscription, client)
        return AsyncStream { await listener.next() }
    }
}

/// A client's event stream. Its window counts as open until the stream is released.
private final class EventListener: Sendable {
    private let kernel: MailKernel
    private let subscription: EventSubscription
    private let client: JMAPClient
    private let news: AsyncStream<[StateNews.Key: State]>
    private let window: WindowPresence?
    private let isFirst = Once()

    init(_ kernel: MailKernel, _ subscription: EventSubscription, _ client: JMAPClient) {
        self.kernel = kernel
        self.client = client
        self.subscription = subscription
        // Listening starts before the first wait, so that no event is missed.
        news = kernel.store.news.listen()
        window = subscription.windowID.map { WindowPresence($0, kernel.presence) }
    }

    func next() async -> PushEvent? {
        guard isWelcome else { return nil }
        if isFirst.take() {
            await window?.opened()
            do throws(StorageError) {
                if subscription.lastEventID != nil, let event = event(try await everything()) { return event }
            } catch {
                // The stream ends: who comes back again asks again, and has missed nothing.
                return nil
            }
        }
        for await states in news {
            guard isWelcome else { return nil }
            if let event = event(states) { return event }
        }
        return nil
    }

    /// Locking ends the streams, so that clients must be admitted again.
    private var isWelcome: Bool { client.mayWhileLocked || !kernel.appLock.isLocked }

    private func event(_ states: [StateNews.Key: State]) -> PushEvent? {
        var changed: [String: [String: JSONValue]] = [:]
        for (key, state) in states {
            guard let type = PushType.named(key.type),
                subscription.types?.contains(type.name) ?? true
            else { continue }
            let account = type.isOfProgram ? ProgramAccount.id : key.accountID ?? ProgramAccount.id
            changed[account.rawValue, default: [:]][type.name] = .string(state.rawValue)
        }
        guard !changed.isEmpty else { return nil }
        let data = JSONWriter.write([
            "@type": "StateChange", "changed": .object(changed.mapValues { .object($0) }),
        ])
        return PushEvent(
            name: "state", id: String(UInt64.random(in: 0...UInt64.max), radix: 36),
            data: String(decoding: data, as: UTF8.self))
    }

    /// All states, for a client that reconnects and may have missed some.
    private func everything() async throws(StorageError) -> [StateNews.Key: State] {
        var states: [StateNews.Key: State] = [:]
        let store = kernel.store.read
        for account in try await store.accounts() {
            for type in PushType.all where !type.isOfProgram && type.isStored {
                states[.init(type: type.dataType, accountID: account.id)] =
                    try await store.state(of: type.dataType, in: account.id)
            }
            let categories = kernel.intelligence.categories.state(in: account.id)
            states[.init(type: Categories.dataType, accountID: account.id)] = categories
        }
        for type in PushType.all where type.isOfProgram && type.isStored {
            states[.init(type: type.dataType, accountID: nil)] =
                try await store.state(of: type.dataType, in: nil)
        }
        states[.init(type: Presence.dataType, accountID: nil)] = await kernel.presence.state
        states[.init(type: SignIns.dataType, accountID: nil)] = await kernel.signIns.state
        states[.init(type: SyncStatuses.dataType, accountID: nil)] = kernel.accounts.status.all.state
        states[.init(type: Models.dataType, accountID: nil)] = await kernel.intelligence.models.state
        states[.init(type: Imports.dataType, accountID: nil)] = await kernel.imports.state
        states[.init(type: Exports.dataType, accountID: nil)] = await kernel.exports.state
        states[.init(type: BlobFetches.dataType, accountID: nil)] = await kernel.blobs.fetches.state
        states[.init(type: AppLock.dataType, accountID: nil)] = await kernel.appLock.state
        if let vault = try? await kernel.vault.status {
            states[.init(type: SecretVault.dataType, accountID: nil)] = vault.state
        }
        return states
    }
}

/// A window that is open as long as this object lives.
private final class WindowPresence: Sendable {
    private let id: String
    private let presence: Presence
    private let isOpen = Once()

    init(_ id: String, _ presence: Presence) {
        self.id = id
        self.presence = presence
    }

    func opened() async {
        if isOpen.take() { await presence.opened(id) }
    }

    deinit {
        // A stream that was never opened can no longer be opened.
        guard !isOpen.take() else { return }
        Task { [id, presence] in await presence.closed(id) }
    }
}

/// A type whose changes are reported to clients.
struct PushType {
    let name: String
    let dataType: DataType
    var isOfProgram = false
    /// Its state is the store's; else it lives with the running program.
    var isStored = true

    static let all = [
        PushType(name: "Mailbox", dataType: .mailbox),
        PushType(name: "Email", dataType: .email),
        PushType(name: "Category", dataType: Categories.dataType, isStored: false),
        PushType(name: "EmailDelivery", dataType: .emailDelivery, isStored: false),
        PushType(name: "Thread", dataType: .thread),
        PushType(name: "Identity", dataType: .identity),
        PushType(name: "EmailSubmission", dataType: .submission),
        PushType(name: "Draft", dataType: Draft.dataType),
        PushType(name: "MailAction", dataType: MailAction.dataType),
        PushType(name: "AccountSettings", dataType: .account, isOfProgram: true),
        PushType(name: "Preferences", dataType: Preferences.dataType, isOfProgram: true),
        PushType(name: "Import", dataType: Imports.dataType, isOfProgram: true, isStored: false),
        PushType(name: "Notice", dataType: Notices.dataType, isOfProgram: true),
        PushType(name: "Model", dataType: Models.dataType, isOfProgram: true, isStored: false),
        PushType(name: "TrustedSender", dataType: TrustedSenders.dataType, isOfProgram: true),
        PushType(name: "RecentSearch", dataType: RecentSearches.dataType, isOfProgram: true),
        PushType(name: "Window", dataType: Presence.dataType, isOfProgram: true, isStored: false),
        PushType(name: "AppLock", dataType: AppLock.dataType, isOfProgram: true, isStored: false),
        PushType(name: "Export", dataType: Exports.dataType, isOfProgram: true, isStored: false),
        PushType(name: "SignIn", dataType: SignIns.dataType, isOfProgram: true, isStored: false),
        PushType(name: "Vault", dataType: SecretVault.dataType, isOfProgram: true, isStored: false),
        PushType(name: "BlobFetch", dataType: BlobFetches.dataType, isOfProgram: true, isStored: false),
        PushType(name: "SyncStatus", dataType: SyncStatuses.dataType, isOfProgram: true, isStored: false),
    ]

    static func named(_ type: DataType) -> PushType? { all.first { $0.dataType == type } }
}
