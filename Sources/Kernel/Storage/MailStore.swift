import FoundationEssentials
public import MailKernelAPI

/// The store, with notifications of its changes: everything committed through it is reported to all
/// listeners.
public struct MailStore: Sendable {
    public let backend: any StorageBackend
    public let news: StateNews

    public init(_ backend: any StorageBackend) {
        self.backend = backend
        news = StateNews()
    }

    @discardableResult
    public func commit(
        _ changes: [StorageChange], preconditions: [ChangeSet.Precondition] = []
    ) async throws(StorageError) -> CommitResult {
        let result = try await backend.commit(ChangeSet(changes, preconditions: preconditions))
        news.publish(result.states)
        return result
    }

    /// Commits changes that depend on how the service names an account's mail. They are computed again if a
    /// sync, a response of the service or the user changes that in between, or destroys a required record.
    ///
    /// - Parameter types: additional types that `changes` reads, and that must not change before the commit.
    @discardableResult
    func commitNamed(
        in accountID: Id<Account>, preconditions: [ChangeSet.Precondition] = [],
        reading types: [DataType] = [],
        _ changes: @Sendable () async throws -> [StorageChange]
    ) async throws -> (changes: [StorageChange], result: CommitResult) {
        let watched = Self.naming + types
        var misses = 0
        while true {
            try Task.checkCancellation()
            var all = preconditions
            for type in watched {
                all.append(.init(type, in: accountID, is: try await backend.state(of: type, in: accountID)))
            }
            let wanted = try await changes()
            do throws(StorageError) {
                return (wanted, try await commit(wanted, preconditions: all))
            } catch {
                if case .stateMismatch(let type, _) = error, watched.contains(type) { continue }
                // A record that `changes` has read was destroyed before the commit.
                guard case .notFound = error, misses < Self.mostMisses else { throw error }
                misses += 1
            }
        }
    }

    /// A record that is missing this often was not destroyed just now.
    private static let mostMisses = 8

    /// The types that are written whenever a message or mailbox gets a name.
    private static let naming: [DataType] =
        [
            FeedSync.cursors, AppendedMail.collection, PendingChanges.collection, UnwantedMail.collection,
        ].map { .documents($0) } + [RemoteMap.dataType]

    /// Tells that mail has come, where it has (RFC 8621, section 1.5).
    func tellDelivery(in changes: [StorageChange], _ result: CommitResult) {
        let hasMail = changes.contains { if case .putEmail = $0 { true } else { false } }
        guard hasMail, let emails = result.states.first(where: { $0.type == .email }) else { return }
        news.publish([CommitResult.StateChange(.emailDelivery, in: emails.accountID, emails.state)])
    }

    public func account(_ id: Id<Account>) async throws(StorageError) -> Account? {
        try await backend.accounts().first { $0.id == id }
    }

    /// All documents of a collection.
    func allDocuments(
        in collection: String, accountID: Id<Account>? = nil
    ) async throws(StorageError) -> [Document] {
        var all: [Document] = []
        while true {
            let page = try await backend.documents(
                in: collection, accountID: accountID, after: all.last?.key.name, limit: 500)
            all += page
            if page.count < 500 { return all }
        }
    }

    /// Makes every account read its mail again, because the store was damaged: cursors survived, but not all
    /// of the mail they stand for.
    public func readAnew(clock: any HostClock) async throws(StorageError) {
        let ids = IDMaker(clock: clock)
        try await commit(try await backend.accounts().map { SyncEpoch.begin($0.id, ids: ids) })
    }

    /// Takes old mail off this device, at most `limit` emails, and tells everybody. Returns how many.
    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int {
        let count = try await backend.purge(before: date, in: accountID, sparing: sparing, limit: limit)
        guard count > 0 else { return 0 }
        for type in [DataType.email, .mailbox, .thread] {
            await publish(type, in: accountID)
        }
        return count
    }

    /// Removes an account with all that is its own.
    public func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        try await backend.removeAccount(id)
        await publish(.account, in: nil)
    }

    /// Reports a change. If the resulting state cannot be read, any other makes listeners check.
    private func publish(_ type: DataType, in accountID: Id<Account>?) async {
        let state: State
        do {
            state = try await backend.state(of: type, in: accountID)
        } catch {
            state = State(rawValue: UUID().uuidString)
        }
        news.publish([CommitResult.StateChange(type, in: accountID, state)])
    }
}

extension DataType {
    /// Changes when mail comes, and with nothing else that happens to emails.
    public static let emailDelivery = DataType(rawValue: "EmailDelivery")
}
