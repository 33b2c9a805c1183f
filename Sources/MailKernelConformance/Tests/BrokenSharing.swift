import MailKernelAPI
import MailKernelConformance

struct NoFence: ForwardingStorage {
    let sound: MemoryStorage

    func commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult {
        try sound.commit(ChangeSet(changes.changes, preconditions: changes.preconditions))
    }
}

struct LeasesForAll: ForwardingStorage {
    let sound: MemoryStorage

    func takeLease(of accountID: Id<Account>) -> StoreLease? { StoreLease(accountID: accountID, fence: 1) }
}

struct Silent: ForwardingStorage {
    let sound: MemoryStorage

    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> { AsyncStream { nil } }
}
