public import MailKernelAPI

extension IMAPAccountSession {
    /// Listens on the inbox with a connection of its own.
    public nonisolated func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await listen { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func listen(_ report: @escaping @Sendable (WatchEvent) -> Void) async throws(AccountError) {
        let directory = try await knownDirectory()
        guard has("IDLE"), let inbox = directory[role: .inbox] else { return }
        // With one connection only, nobody could read what is told of.
        guard await pool.limit > 1 else { throw .throttled(until: await pool.backOff()) }
        let feed = directory.feed(of: inbox)
        let connection = try await pool.lend(preferring: inbox.name)
        do throws(AccountError) {
            _ = try await connection.open(inbox.name)
            let hasBegun = Once()
            try await connection.idle(renewingEvery: configuration.behaviour.idleRenewal) { response in
                guard let response else { return hasBegun.first ? report(.listening) : () }
                guard response.isNews else { return }
                // What the last list of mailboxes said does not hold any more.
                Task { await self.forgetStatuses() }
                report(.changed(feed))
            }
        } catch {
            await connection.close()
            await pool.giveBack(connection)
            throw error
        }
        await connection.close()
        await pool.giveBack(connection)
    }

    private func forgetStatuses() { statuses.forget() }
}

extension Untagged {
    /// Something about the mailbox's messages has changed.
    fileprivate var isNews: Bool {
        switch self {
        case .exists, .expunge, .vanished, .fetch: true
        default: false
        }
    }
}
