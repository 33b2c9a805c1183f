import FoundationEssentials
import Kernel
import MailKernelAPI

extension MailJMAPService {
    public func events(_ subscription: EventSubscription, for client: JMAPClient) -> AsyncStream<PushEvent> {
        let kernel = kernel
        // Listening begins before anybody waits, so that nothing falls in between.
        let news = kernel.store.news.listen()
        let (stream, continuation) = AsyncStream.makeStream(of: PushEvent.self)
        let task = Task {
            if let window = subscription.windowID { await kernel.presence.opened(window) }
            if subscription.lastEventID != nil, let event = await Self.everything(kernel, subscription) {
                continuation.yield(event)
            }
            for await states in news {
                if let event = Self.event(states, subscription) { continuation.yield(event) }
            }
            if let window = subscription.windowID { await kernel.presence.closed(window) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private static func event(
        _ states: [StateNews.Key: State], _ subscription: EventSubscription
    ) -> PushEvent? {
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

    /// All states there are, for a client that comes back and may have missed some.
    private static func everything(_ kernel: MailKernel, _ subscription: EventSubscription) async
        -> PushEvent?
    {
        var states: [StateNews.Key: State] = [:]
        let store = kernel.store.backend
        for account in (try? await store.accounts()) ?? [] {
            for type in PushType.all where !type.isOfProgram && type.isStored {
                let state = try? await store.state(of: type.dataType, in: account.id)
                if let state { states[.init(type: type.dataType, accountID: account.id)] = state }
            }
        }
        for type in PushType.all where type.isOfProgram && type.isStored {
            let state = try? await store.state(of: type.dataType, in: nil)
            if let state { states[.init(type: type.dataType, accountID: nil)] = state }
        }
        return event(states, subscription)
    }
}

/// A type whose changes clients are told of.
private struct PushType {
    let name: String
    let dataType: DataType
    var isOfProgram = false
    /// Its state is the store's; else it lives with the running program.
    var isStored = true

    static let all = [
        PushType(name: "Mailbox", dataType: .mailbox),
        PushType(name: "Email", dataType: .email),
        PushType(name: "Thread", dataType: .thread),
        PushType(name: "Identity", dataType: .identity),
        PushType(name: "EmailSubmission", dataType: .submission),
        PushType(name: "AccountSettings", dataType: .account, isOfProgram: true),
        PushType(name: "Preferences", dataType: Preferences.dataType, isOfProgram: true),
        PushType(name: "Import", dataType: Imports.dataType, isOfProgram: true, isStored: false),
        PushType(name: "Window", dataType: Presence.dataType, isOfProgram: true, isStored: false),
        PushType(name: "SyncStatus", dataType: .syncStatus, isOfProgram: true, isStored: false),
    ]

    static func named(_ type: DataType) -> PushType? { all.first { $0.dataType == type } }
}
