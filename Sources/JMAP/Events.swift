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
            for type in RecordType.pushed
            where type.dataTypes.contains(key.type) && subscription.types?.contains(type.name) ?? true {
                let account = type.owner == .program ? ProgramAccount.id : key.accountID ?? ProgramAccount.id
                changed[account.rawValue, default: [:]][type.name] = .string(state.rawValue)
            }
        }
        guard !changed.isEmpty else { return nil }
        let data = JSONWriter.write([
            "@type": "StateChange", "changed": .object(changed.mapValues { .object($0) }),
        ])
        return PushEvent(
            name: "state", id: String(UInt64.random(in: 0...UInt64.max), radix: 36),
            data: String(decoding: data, as: UTF8.self))
    }

    /// All states, for a client that reconnects and may have missed some. One that cannot be asked for now is told
    /// when it changes.
    private func everything() async throws(StorageError) -> [StateNews.Key: State] {
        var states: [StateNews.Key: State] = [:]
        let accounts = try await kernel.store.read.accounts().map(\.id)
        for type in RecordType.pushed {
            guard let dataType = type.dataTypes.first else { continue }
            for accountID in type.owner == .program ? [ProgramAccount.id] : accounts {
                do {
                    let key = StateNews.Key(
                        type: dataType, accountID: type.owner == .program ? nil : accountID)
                    states[key] = try await type.state(in: kernel, accountID)
                } catch let error as StorageError where !error.isOfServer || type.owner == .program {
                    throw error
                } catch {
                    // Also an account on a server that does not respond: it is told when that is back.
                    continue
                }
            }
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
