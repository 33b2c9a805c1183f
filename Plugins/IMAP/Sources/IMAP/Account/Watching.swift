public import MailKernelAPI

extension IMAPAccountSession {
    /// Watches the inbox, or all mailboxes if the server supports it, on a separate connection.
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
        let feed = directory.feed(of: inbox)
        // With only one connection, changes could not be read while watching, so the service is polled.
        guard let connection = try await pool.lendToWatch(inbox.name) else { return }
        watching = connection
        defer { watching = nil }
        do throws(AccountError) {
            _ = try await connection.open(inbox.name)
            // If NOTIFY fails, the server still reports changes of the inbox.
            if has("NOTIFY") { _ = try await connection.perform(.notify) }
            let hasBegun = Once()
            try await connection.idle(renewingEvery: configuration.behavior.idleRenewal) { response in
                guard let response else { return hasBegun.first ? report(.listening) : () }
                guard let event = directory.news(response, of: feed) else { return }
                // The last list of mailboxes is outdated.
                Task { await self.forgetStatuses() }
                report(event)
            }
        } catch {
            await connection.close()
            await pool.giveBack(connection)
            throw error
        }
        // Another task needs the connection. With NOTIFY it would keep reporting, so it is closed.
        if has("NOTIFY") { await connection.close() }
        await pool.giveBack(connection)
    }

    private func forgetStatuses() { statuses.forget() }
}

extension MailboxDirectory {
    /// What a response says that has changed.
    ///
    /// - Parameter selected: the feed of the mailbox that is selected.
    fileprivate func news(_ response: Untagged, of selected: FeedID) -> WatchEvent? {
        switch response {
        case .exists, .expunge, .vanished, .fetch: .changed(selected)
        case .mailboxStatus(let name, _): self[name].map { .changed(feed(of: $0)) } ?? .mailboxesChanged
        case .list: .mailboxesChanged
        default: nil
        }
    }
}
