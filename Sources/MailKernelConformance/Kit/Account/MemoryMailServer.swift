import FoundationEssentials
public import MailKernelAPI

/// A mail server in memory: several accounts that can write to each other, read by any number of sessions,
/// and changed by a test the way another mail program would.
public final class MemoryMailServer: Sendable {
    /// How the server keeps a message that belongs to several mailboxes. There are real servers of both
    /// kinds.
    public enum Layout: String, Sendable, CaseIterable {
        /// One message in many mailboxes, reported by one feed; its id never changes.
        case labels
        /// A copy per mailbox, and a feed for each; a moved message gets a new id.
        case folders
    }

    /// An account of the server, and the password that signs in to it.
    public struct Login: Sendable {
        /// The email address. Also the user name, whatever its case.
        public var address: String
        /// The password. `setPassword` changes it while the server runs.
        public var password: Secret
        /// The name that `validate` reports for the account.
        public var displayName: String

        public init(address: String, password: Secret, displayName: String) {
            self.address = address
            self.password = password
            self.displayName = displayName
        }
    }

    struct Person {
        var login: Login
        var store: MemoryMailStore
        var watchers: [UUID: AsyncThrowingStream<WatchEvent, any Error>.Continuation] = [:]
    }

    private struct Contents {
        var people: [String: Person] = [:]
        var outage: AccountError?
    }

    /// The host name in the errors of every memory server.
    public static let host = "mail.example.org"

    /// How it keeps messages; decides which features it has.
    public let layout: Layout
    /// The most changes that one batch reports.
    public let batchSize: Int
    /// The features of its accounts: those of the layout without the ones left out.
    public let features: AccountFeatures
    let clock: any HostClock
    private let contents: Watched<Contents>

    /// - Parameter lacking: features to leave out.
    public init(
        logins: [Login], layout: Layout = .labels, batchSize: Int = 50, lacking: AccountFeatures = [],
        clock: any HostClock
    ) {
        self.layout = layout
        self.batchSize = max(1, batchSize)
        self.clock = clock
        let common: AccountFeatures = [
            .push, .submission, .mailboxChanges, .keywords, .serverSearch, .imports, .olderMail,
        ]
        let special: AccountFeatures =
            layout == .labels ? [.labels, .savesSentCopies, .replacesAtomically] : []
        features = common.union(special).subtracting(lacking)
        contents = Watched(
            Contents(
                people: Dictionary(
                    logins.map { login in
                        (
                            login.address.lowercased(),
                            Person(login: login, store: MemoryMailStore(layout: layout))
                        )
                    },
                    uniquingKeysWith: { first, _ in first })))
    }

    /// All accounts with their passwords, sorted by address.
    public var logins: [Login] {
        contents.value.people.values.map(\.login).sorted { $0.address < $1.address }
    }

    // MARK: For sessions

    /// Throws what a session's user would meet: an outage, or a password that is wrong.
    func signIn(_ address: String, _ password: Secret?) throws(AccountError) -> Login {
        let now = contents.value
        if let outage = now.outage { throw outage }
        guard let login = now.people[address.lowercased()]?.login, let password, login.password == password
        else {
            throw .authenticationRequired(reason: "The address or the password is wrong.")
        }
        return login
    }

    /// A copy of an account's mail; empty if there is no such account.
    func store(of address: String) -> MemoryMailStore {
        contents.value.people[address.lowercased()]?.store ?? MemoryMailStore(layout: layout)
    }

    /// Changes an account's mail and tells its watchers.
    func change<Answer: Sendable>(
        _ address: String, _ body: (inout MemoryMailStore) -> Answer
    ) -> Answer? {
        let changed = contents.withLock { contents -> (answer: Answer, news: Set<WatchEvent>, Person)? in
            guard var person = contents.people[address.lowercased()] else { return nil }
            let answer = body(&person.store)
            let news = person.store.news
            person.store.news = []
            contents.people[address.lowercased()] = person
            return (answer, news, person)
        }
        guard let (answer, news, person) = changed else { return nil }
        // Outside the lock: a watcher that is cancelled meanwhile holds its task's lock and wants ours.
        for event in news { for watcher in person.watchers.values { watcher.yield(event) } }
        return answer
    }

    func addWatcher(
        _ id: UUID, _ address: String, _ watcher: AsyncThrowingStream<WatchEvent, any Error>.Continuation
    ) {
        let isRefused = contents.withLock { contents -> AccountError? in
            guard contents.outage == nil else { return contents.outage }
            contents.people[address.lowercased()]?.watchers[id] = watcher
            watcher.yield(.listening)
            return nil
        }
        if let isRefused { watcher.finish(throwing: isRefused) }
    }

    func removeWatcher(_ id: UUID, _ address: String) {
        contents.withLock { _ = $0.people[address.lowercased()]?.watchers.removeValue(forKey: id) }
    }

    // MARK: For tests

    /// Makes every call fail with this error and ends all watching with it; nil ends the outage.
    public func setOutage(_ outage: AccountError?) {
        contents.withLock { $0.outage = outage }
        if let outage {
            for address in logins.map(\.address) { endWatching(address, with: outage) }
        }
    }

    /// Ends all watching of an account with an error, like a lost connection.
    public func endWatching(
        _ address: String, with error: AccountError = .unreachable(host: host, reason: "connection lost")
    ) {
        let watchers = contents.withLock { contents in
            let watchers = contents.people[address.lowercased()]?.watchers ?? [:]
            contents.people[address.lowercased()]?.watchers = [:]
            return watchers
        }
        // Outside the lock: finishing calls back to remove the watcher.
        for watcher in watchers.values { watcher.finish(throwing: error) }
    }

    /// Yields once at the start, and again whenever something on the server or its watchers changed.
    public func changes() -> AsyncStream<Void> { contents.changes() }

    /// The number of sessions that watch an account now.
    public func watchers(of address: String) -> Int {
        contents.value.people[address.lowercased()]?.watchers.count ?? 0
    }

    /// Changes an account's password, so that sessions must sign in again.
    public func setPassword(_ password: Secret, of address: String) {
        contents.withLock { $0.people[address.lowercased()]?.login.password = password }
    }
}
