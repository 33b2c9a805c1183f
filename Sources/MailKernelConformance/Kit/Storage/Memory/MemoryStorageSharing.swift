import FoundationEssentials
public import MailKernelAPI
import Synchronization

extension MemoryStorage {
    public func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> { disk.kernels.listen(kernelID) }

    public func takeLease(of accountID: Id<Account>) throws(StorageError) -> StoreLease? {
        guard try contents().accounts[accountID] != nil else { throw .notFound("account \(accountID)") }
        return disk.kernels.takeLease(of: accountID, for: kernelID)
    }

    public func releaseLease(_ lease: StoreLease) throws(StorageError) {
        _ = try contents()
        disk.kernels.release(lease)
    }
}

/// The stores that are open on one disk: their leases, and who listens.
final class MemoryKernels: Sendable {
    private struct Holder {
        var kernelID: UUID
        var lease: StoreLease
    }

    private struct State {
        var lastFence = 0
        var holders: [Id<Account>: Holder] = [:]
        var listeners: [UUID: [AsyncStream<[CommitResult.StateChange]>.Continuation]] = [:]
    }

    private let state = Mutex(State())

    func takeLease(of accountID: Id<Account>, for kernelID: UUID) -> StoreLease? {
        state.withLock { state in
            if let holder = state.holders[accountID] {
                return holder.kernelID == kernelID ? holder.lease : nil
            }
            state.lastFence += 1
            let lease = StoreLease(accountID: accountID, fence: state.lastFence)
            state.holders[accountID] = Holder(kernelID: kernelID, lease: lease)
            return lease
        }
    }

    func release(_ lease: StoreLease) {
        state.withLock { state in
            guard state.holders[lease.accountID]?.lease == lease else { return }
            state.holders[lease.accountID] = nil
        }
    }

    func check(_ leases: [StoreLease]) throws(StorageError) {
        let lost = state.withLock { state in leases.first { state.holders[$0.accountID]?.lease != $0 } }
        if let lost { throw .leaseLost(lost) }
    }

    func listen(_ kernelID: UUID) -> AsyncStream<[CommitResult.StateChange]> {
        let (stream, listener) = AsyncStream.makeStream(of: [CommitResult.StateChange].self)
        state.withLock { $0.listeners[kernelID, default: []].append(listener) }
        return stream
    }

    func tell(_ states: [CommitResult.StateChange], by kernelID: UUID) {
        guard !states.isEmpty else { return }
        let others = state.withLock { $0.listeners.filter { $0.key != kernelID }.flatMap(\.value) }
        for listener in others { listener.yield(states) }
    }

    /// A closed store holds no lease and hears nothing.
    func leave(_ kernelID: UUID) {
        let listeners = state.withLock { state in
            state.holders = state.holders.filter { $0.value.kernelID != kernelID }
            return state.listeners.removeValue(forKey: kernelID) ?? []
        }
        for listener in listeners { listener.finish() }
    }
}
