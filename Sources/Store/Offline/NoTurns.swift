import MailKernelAPI

/// The turns of a kernel whose server does not respond: it looks after no account, because another kernel may.
struct NoTurns: StorageSharing {
    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> { AsyncStream { $0.finish() } }

    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease? { nil }

    func releaseLease(_ lease: StoreLease) async throws(StorageError) {}
}
