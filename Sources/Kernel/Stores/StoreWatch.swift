import MailKernelAPI
import PluginCalls
import Store

/// Asks a store on a server every two seconds whether it responds.
///
/// A store on this device is not asked: it is part of the program.
package actor StoreWatch {
    package static let dataType = DataType(rawValue: "Store")
    private static let interval = 2.0
    /// A store that takes longer does not respond, as far as a user is concerned.
    private static let patience = 3.0

    private let store: MailStore
    private let clock: any HostClock
    /// Called when the store responds again.
    private let recovered: @Sendable () async -> Void
    private var loop: Task<Void, Never>?
    private var revision = 0
    /// Why the store does not respond; nil while it does.
    package private(set) var problem: String?

    init(store: MailStore, clock: any HostClock, recovered: @escaping @Sendable () async -> Void) {
        self.store = store
        self.clock = clock
        self.recovered = recovered
    }

    package var state: State { store.news.state(revision) }

    func start() {
        guard loop == nil, case .server = store.place else { return }
        loop = Task { [clock] in
            while !Task.isCancelled {
                await look()
                guard (try? await clock.sleep(for: Self.interval)) != nil else { return }
            }
        }
    }

    /// A call of a silent store under way is not waited for.
    func stop() { loop?.cancel() }

    /// Returns once the store has answered, in whatever time: there is one question at a time.
    private func look() async {
        let question = Task { [store] in await Self.ask(store) }
        let answer = await Deadline.run(Self.patience, clock) { await question.value }
        if answer == nil { await set("it did not respond within \(Int(Self.patience)) seconds") }
        await set(question.value)
    }

    /// Why the store does not respond; nil if it does, if only with an error.
    private static func ask(_ store: MailStore) async -> String? {
        do {
            _ = try await store.read.state(of: .account, in: nil)
        } catch .unreachable(let reason) {
            return reason
        } catch {
            return nil
        }
        return nil
    }

    private func set(_ new: String?) async {
        guard !Task.isCancelled, new != problem else { return }
        let hasRecovered = new == nil
        problem = new
        revision += 1
        store.news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
        if hasRecovered { await recovered() }
    }
}
