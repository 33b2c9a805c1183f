import FoundationEssentials
public import MailKernelAPI

/// A mail server that is an object: several accounts that can write to each other, read by any
/// number of sessions, and changed by a test as another mail program would.
public final class MemoryMailServer: Sendable {
    /// How it keeps a message that belongs to several mailboxes. Real servers are of both sorts.
    public enum Layout: String, Sendable, CaseIterable {
        /// One message in many mailboxes, told of by one feed of everything; its id never changes.
        case labels
        /// A copy per mailbox, and a feed of each; a message that is moved gets a new id.
        case folders
    }

    public struct Login: Sendable {
        public var address: String
        public var password: Secret
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

    public static let host = "mail.example.org"

    public let layout: Layout
    /// The most that one batch of changes tells.
    public let batchSize: Int
    public let features: AccountFeatures
    let clock: any HostClock
    private let contents: Watched<Contents>

    /// - Parameter lacking: features of the layout that this server does not have.
    public init(
        logins: [Login], layout: Layout = .labels, batchSize: Int = 50, lacking: AccountFeatures = [],
        clock: any HostClock
    ) {
        self.layout = layout
        self.batchSize = max(1, batchSize)
        self.clock = clock
        let common: AccountFeatures = [
            .push, .submission, .mailboxChanges, .keywords, .serverSearch, .imports,
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

    /// The accounts, with what signs in to them, in the order of their addresses.
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

    /// Every call fails with this error from now on, and watching ends with it; nil ends the outage.
    public func setOutage(_ outage: AccountError?) {
        contents.withLock { $0.outage = outage }
        if let outage {
            for address in logins.map(\.address) { endWatching(address, with: outage) }
        }
    }

    /// Ends what watches an account, as a lost connection does.
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

    /// An element at once, and one whenever something on the server was changed or its watchers were.
    public func changes() -> AsyncStream<Void> { contents.changes() }

    /// How many sessions watch an account at the moment.
    public func watchers(of address: String) -> Int {
        contents.value.people[address.lowercased()]?.watchers.count ?? 0
    }

    /// Gives an account another password, so that sessions have to sign in anew.
    public func setPassword(_ password: Secret, of address: String) {
        contents.withLock { $0.people[address.lowercased()]?.login.password = password }
    }
}
