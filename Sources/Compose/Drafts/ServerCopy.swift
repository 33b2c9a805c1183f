import FoundationEssentials
import Mail
import MailKernelAPI
import Store
import Sync

/// A message that should be on the service exactly once, and its upload state: the newest version of a draft,
/// or the copy of a sent message.
struct ServerCopy: Codable, Sendable, Hashable {
    static let collection = "server-copy"

    /// A version on its way, of which it is not known whether it has arrived.
    struct Transit: Codable, Sendable, Hashable {
        /// The email that it was when it was sent on its way.
        var emailID: Id<Email>
        /// What the service has of the version before.
        var replaces: RemoteAddress?
        /// All mail has been read since: had it arrived, it would be known.
        var wasRead = false
        /// When the service accepted it without returning its id.
        var takenAt: Date?
    }

    /// The email that the service is to have.
    var emailID: Id<Email>
    /// The one it has.
    var pushed: Id<Email>?
    var transit: Transit?
    var nextPushAt: Date?
    var failures = 0
    /// Nothing is pushed for now.
    var isHeld = false
    /// Gone from here once the service has it.
    var isOnce = false

    init(_ emailID: Id<Email>) {
        self.emailID = emailID
    }

    static func key(_ name: String, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, name, accountID: accountID)
    }

    func change(_ name: String, _ accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(name, accountID), value: try JSONValue(encoding: self)))
    }
}

/// Uploads messages so that each is on the service exactly once, in its newest version, despite
/// interruptions.
///
/// Before an upload, its Message-ID is recorded. If the result is unknown, all mail is read first: a message
/// that arrived is then recognized, and only missing ones are uploaded again.
package struct ServerCopies: RoundStep {
    /// Between two versions of a draft.
    package static let interval = 60.0

    private(set) var store: MailStore
    let turns = NamedTurns()
    let clock: any HostClock
    let log: LogOutput

    package init(store: MailStore, clock: any HostClock, log: LogOutput) {
        self.store = store
        self.clock = clock
        self.log = log
    }

    package func with(_ store: MailStore) -> any RoundStep {
        var copies = self
        copies.store = store
        return copies
    }

    package var types: Set<DataType> { [.documents(ServerCopy.collection)] }

    func load(_ name: String, _ accountID: Id<Account>) async throws(StorageError) -> ServerCopy? {
        let document = try await store.read.document(ServerCopy.key(name, accountID))
        return document?.read(as: ServerCopy.self)
    }

    /// What makes `new` the email that the service is to have instead of `old`. To be committed while holding
    /// the name's turn, before `old` is destroyed.
    func replace(
        _ old: Id<Email>?, by new: Id<Email>, _ name: String, in accountID: Id<Account>
    ) async throws -> [StorageChange] {
        var copy = try await load(name, accountID) ?? ServerCopy(new)
        copy.emailID = new
        var changes = [try copy.change(name, accountID)]
        guard let old else { return changes }
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        changes += try await unnamed.replacing(old, by: new)
        let refs = try await store.read.remoteRefs(of: [old], in: accountID)
        for var ref in refs.current {
            ref.emailID = new
            changes.append(.putRemote(ref))
        }
        return changes + (refs.current.count < refs.count ? try await leaving(old, in: accountID) : [])
    }

    /// Holds a copy's turn. What another kernel changes meanwhile, such as the newest version, leads to another try.
    func turn<Answer: Sendable>(
        _ name: String, _ accountID: Id<Account>,
        _ body: @Sendable (ServerCopies) async throws -> Answer
    ) async throws -> Answer {
        try await turns.take(name) {
            guard store.sharing != nil else { return try await body(self) }
            let type = DataType.documents(ServerCopy.collection)
            while true {
                let state = try await store.read.state(of: type, in: accountID)
                var copies = self
                copies.store = store.expecting([.init(type, in: accountID, is: state)])
                do {
                    return try await body(copies)
                } catch StorageError.stateMismatch(let mismatch, _) where mismatch == type {
                    try Task.checkCancellation()
                }
            }
        }
    }

    // MARK: A round

    package func push(_ account: Account, _ session: any AccountSession) async throws -> Date? {
        var next: Date?
        for document in try await store.allDocuments(in: ServerCopy.collection, accountID: account.id) {
            let name = document.key.name
            do {
                guard let due = try await push(name, account, session) else { continue }
                next = min(next ?? due, due)
            } catch let error as AccountError where !error.concernsWholeAccount {
                let due = try await failed(name, account.id)
                next = min(next ?? due, due)
                log.write(
                    .warning, account.pluginID, "A draft could not be saved there. \(error.logSentence)")
            }
        }
        return next
    }

    package func underWay(in accountID: Id<Account>) async throws(StorageError) -> Set<Id<Email>> {
        let copies = try await store.allDocuments(in: ServerCopy.collection, accountID: accountID)
            .compactMap { $0.read(as: ServerCopy.self) }
        return Set(copies.filter { $0.transit != nil }.map(\.emailID))
    }

    package func wasRead(_ account: Account, except unread: UnreadFeeds) async throws {
        let map = try await RemoteMap.load(account.id, from: store)
        for document in try await store.allDocuments(in: ServerCopy.collection, accountID: account.id) {
            let name = document.key.name
            try await turn(name, account.id) { copies in
                guard var copy = try await load(name, account.id), copy.transit?.wasRead == false else {
                    return
                }
                let email = try await store.read.emails([copy.emailID], in: account.id).first?.email
                guard !unread.concern(email?.mailboxIDs ?? [], map) else { return }
                copy.transit?.wasRead = true
                try await copies.store.commit([try copy.change(name, account.id)])
            }
        }
    }

    /// A failing service does not affect writing: the upload is retried with growing pauses.
    private func failed(_ name: String, _ accountID: Id<Account>) async throws -> Date {
        try await turn(name, accountID) { copies in
            guard var copy = try await load(name, accountID) else { return clock.now + Self.interval }
            copy.failures += 1
            let next = clock.now + (RetrySchedule.copy.pause(after: copy.failures) ?? Self.interval)
            copy.nextPushAt = next
            try await copies.store.commit([try copy.change(name, accountID)])
            return next
        }
    }

    private func push(_ name: String, _ account: Account, _ session: any AccountSession) async throws -> Date?
    {
        let begun: Begun = try await turn(name, account.id) { try await $0.begin(name, account.id) }
        switch begun {
        case .nothing: return nil
        case .later(let date): return date
        case .arrived(let stale):
            if let stale { _ = try await session.apply([.destroy([stale])]) }
            return clock.now
        case .go(let transit, let email, let mailbox):
            guard try await store.read.blobInfo(email.blobID, in: account.id) != nil else { return nil }
            let source = try await StoredBlob(email.blobID, in: account.id, store.read)
            let outcome = try await session.append(
                source, to: mailbox, keywords: email.keywords, receivedAt: email.receivedAt,
                replacing: transit.replaces)
            return try await turn(name, account.id) { try await $0.finish(name, outcome, transit, account) }
        }
    }

    private enum Begun: Sendable {
        case nothing
        case later(Date)
        /// The version on its way has arrived, and this one before it may be left over.
        case arrived(stale: RemoteAddress?)
        case go(ServerCopy.Transit, Email, RemoteMailboxID)
    }

    private func begin(_ name: String, _ accountID: Id<Account>) async throws -> Begun {
        guard var copy = try await load(name, accountID) else { return .nothing }
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        if let transit = copy.transit {
            // Once all mail has been read, an uploaded message is known.
            guard transit.wasRead else { return .later(clock.now) }
            if try await unnamed.isAwaiting(anyOf: [copy.emailID]) {
                if let date = transit.takenAt {
                    guard abs(clock.now.timeIntervalSince(date)) <= 2 * Self.interval else {
                        return try await wasTakenAway(transit, copy, name, accountID)
                    }
                    copy.transit?.wasRead = false
                    try await store.commit([try copy.change(name, accountID)])
                    return .later(clock.now + Self.interval)
                }
                copy.transit = nil
                try await store.commit([unnamed.settled(copy.emailID), try copy.change(name, accountID)])
            } else {
                copy.transit = nil
                return try await arrived(transit, copy, name, accountID)
            }
        }
        // What the service has of it is called something else now: added beside it, it would be there twice.
        if try await unnamed.isAwaiting(anyOf: [copy.emailID]) {
            return .later(clock.now + Self.interval)
        }
        guard copy.pushed != copy.emailID, !copy.isHeld else { return .nothing }
        if let next = copy.nextPushAt, next > clock.now, next <= clock.now + RetrySchedule.copy.longest {
            return .later(next)
        }
        guard let email = try await store.read.emails([copy.emailID], in: accountID).first?.email else {
            if copy.isOnce { try await store.commit([.destroyDocument(ServerCopy.key(name, accountID))]) }
            return .nothing
        }
        return try await depart(email, copy, name, accountID)
    }

    /// Records that this version is on its way, before it is uploaded.
    private func depart(
        _ email: Email, _ copy: ServerCopy, _ name: String, _ accountID: Id<Account>
    ) async throws -> Begun {
        var copy = copy
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        let map = try await RemoteMap.load(accountID, from: store)
        guard let mailbox = email.mailboxIDs.sorted().compactMap({ map.remote($0) }).first else {
            return .nothing
        }
        let refs = try await store.read.remoteRefs(of: [email.id], in: accountID)
        if try await isBeingRecognized(refs, in: accountID) { return .later(clock.now + Self.interval) }
        let old = refs.current.first.map { RemoteAddress(feed: $0.feed, id: $0.remoteID) }
        let transit = ServerCopy.Transit(emailID: email.id, replaces: old)
        copy.transit = transit
        let noted = [try copy.change(name, accountID), try unnamed.awaiting(email, at: clock.now)]
        let (changes, _) = try await store.commitNamed(in: accountID, reading: [.email]) {
            try await store.read.emails([email.id], in: accountID).isEmpty ? [] : noted
        }
        return changes.isEmpty ? .nothing : .go(transit, email, mailbox)
    }

    /// The service accepted the message, and another client moved or deleted it before it was found. Local
    /// content is kept, and uploaded again when it changes; a sent copy belongs to the other client.
    private func wasTakenAway(
        _ transit: ServerCopy.Transit, _ known: ServerCopy, _ name: String, _ accountID: Id<Account>
    ) async throws -> Begun {
        var copy = known
        copy.pushed = transit.emailID
        copy.transit = nil
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        var changes = [unnamed.settled(copy.emailID), try settled(copy, name, accountID)]
        if copy.isOnce, try await !store.read.emails([copy.emailID], in: accountID).isEmpty,
            try await store.read.remoteRefs(of: [copy.emailID], in: accountID).isEmpty
        {
            changes.append(.destroyEmail(copy.emailID, in: accountID))
        }
        try await store.commit(changes)
        return .later(clock.now)
    }

    private func arrived(
        _ transit: ServerCopy.Transit, _ known: ServerCopy, _ name: String, _ accountID: Id<Account>
    ) async throws -> Begun {
        var copy = known
        let refs = try await store.read.remoteRefs(of: [copy.emailID], in: accountID).current
        let current = refs.map { RemoteAddress(feed: $0.feed, id: $0.remoteID) }
        copy.pushed = transit.emailID
        copy.nextPushAt = clock.now + Self.interval
        try await store.commit([try settled(copy, name, accountID)])
        return .arrived(stale: transit.replaces.flatMap { current.contains($0) ? nil : $0 })
    }

    private func finish(
        _ name: String, _ outcome: AppendOutcome, _ transit: ServerCopy.Transit, _ account: Account
    ) async throws -> Date? {
        guard var copy = try await load(name, account.id) else {
            // Canceled during the upload: remove it from the service.
            guard let address = outcome.address else { return nil }
            let unnamed = UnnamedEmails(store: store, accountID: account.id)
            try await store.commit(try unnamed.destroyThere(address, of: transit.emailID))
            return clock.now
        }
        copy.failures = 0
        copy.nextPushAt = clock.now + Self.interval
        guard let address = outcome.address else {
            copy.transit?.takenAt = clock.now
            try await store.commit([try copy.change(name, account.id)])
            return clock.now
        }
        copy.pushed = transit.emailID
        copy.transit = nil
        try await store.commitNamed(in: account.id) { [copy] in
            try await named(copy, address, transit, account.id) + [try settled(copy, name, account.id)]
        }
        if copy.isOnce { try await store.keepAsCopy(copy.emailID, in: account.id, isLocal: false) }
        return copy.emailID == copy.pushed ? nil : copy.nextPushAt
    }

    private func named(
        _ copy: ServerCopy, _ address: RemoteAddress, _ transit: ServerCopy.Transit, _ accountID: Id<Account>
    ) async throws -> [StorageChange] {
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        guard try await !store.read.emails([copy.emailID], in: accountID).isEmpty else {
            // Destroyed here during the upload: remove it from the service.
            return try unnamed.destroyThere(address, of: copy.emailID)
        }
        var changes: [StorageChange] = []
        if let old = transit.replaces, old != address {
            changes.append(.removeRemote(old.id, feed: old.feed, in: accountID))
        }
        let ref = RemoteRef(
            emailID: copy.emailID, accountID: accountID, feed: address.feed, remoteID: address.id)
        return changes + [.putRemote(ref), unnamed.settled(copy.emailID)]
    }

    private func settled(
        _ copy: ServerCopy, _ name: String, _ accountID: Id<Account>
    ) throws -> StorageChange {
        copy.isOnce && copy.pushed == copy.emailID
            ? .destroyDocument(ServerCopy.key(name, accountID)) : try copy.change(name, accountID)
    }
}
