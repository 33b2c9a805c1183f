public import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// A session of one account on a `MemoryMailServer`.
public final class MemoryAccountSession: AccountSession {
    private let server: MemoryMailServer
    private let address: String
    private let secrets: any SecretStore
    private let isClosed = Mutex(false)
    private let watchers = Mutex<[UUID: AsyncThrowingStream<WatchEvent, any Error>.Continuation]>([:])

    init(server: MemoryMailServer, address: String, secrets: any SecretStore) {
        self.server = server
        self.address = address
        self.secrets = secrets
    }

    public var features: AccountFeatures { server.features }

    public func mailboxes() async throws(AccountError) -> MailboxListing {
        try await signIn()
        let store = server.store(of: address)
        return MailboxListing(mailboxes: store.mailboxesParentsFirst, feeds: store.feeds)
    }

    public func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        try await signIn()
        return try server.store(of: address)
            .changes(in: feed, after: cursor, since: since, batchSize: server.batchSize)
    }

    public func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        try await signIn()
        let address = RemoteAddress(feed: feed, id: message)
        // Messages are told of as a whole, so none has parts to ask for.
        guard partID == nil, let found = server.store(of: self.address).messages[address] else {
            throw .notFound
        }
        var rest = found.bytes[...]
        while !rest.isEmpty {
            let piece = Data(rest.prefix(65_536))
            rest = rest.dropFirst(piece.count)
            try await Self.local { try await sink.write(piece) }
        }
    }

    public func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        try await signIn()
        return mutations.map { mutation in
            switch mutation {
            case .createMailbox, .renameMailbox, .deleteMailbox:
                guard features.contains(.mailboxChanges) else {
                    return .refused(.unsupported("changing mailboxes"))
                }
            case .setKeywords(let addresses, let add, let remove):
                return server.apply(.setKeywords(addresses, add: kept(add), remove: remove), in: address)
            case .add, .remove, .move, .destroy: break
            }
            return server.apply(mutation, in: address)
        }
    }

    public func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        let bytes = try await Self.allBytes(of: message)
        try await signIn()
        let added = server.change(address) { store -> RemoteAddress? in
            guard store.mailbox(mailbox) != nil else { return nil }
            let added = store.add(bytes, to: mailbox, keywords: kept(keywords), receivedAt: receivedAt)
            if let replacing { store.remove(replacing) }
            return added
        }
        guard let address = added.flatMap({ $0 }) else { throw .notFound }
        // A server of folders need not say the new id; not saying it keeps its readers honest.
        return AppendOutcome(address: server.layout == .labels ? address : nil)
    }

    public func importMessages(
        _ messages: [ImportedMessage]
    ) async throws(AccountError) -> [ImportOutcome] {
        guard features.contains(.imports) else { throw .unsupported("importing mail") }
        try await signIn()
        var outcomes: [ImportOutcome] = []
        for var message in messages {
            do throws(AccountError) {
                let bytes = try await Self.allBytes(of: message.bytes)
                message.keywords = kept(message.keywords)
                let outcome = server.change(address) { [message] in $0.take(message, bytes) }
                outcomes.append(outcome ?? .refused(.notFound))
            } catch {
                if error == .cancelled { throw error }
                outcomes.append(.refused(error))
            }
        }
        return outcomes
    }

    public func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        guard features.contains(.submission) else { throw .unsupported("sending mail") }
        let bytes = try await Self.allBytes(of: message)
        try await signIn()
        return server.submit(bytes, envelope: envelope, from: address)
    }

    public func findSent(messageID: String) async throws(AccountError) -> Bool {
        try await signIn()
        return server.store(of: address).messages(in: MemoryMailStore.sent)
            .contains { $0.messageID == MessageHeader.bare(messageID) }
    }

    public func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress] {
        guard features.contains(.serverSearch) else { throw .unsupported("searching on the server") }
        guard filter.isSearched else {
            throw .unsupported("searching for anything but headers, words, dates and sizes")
        }
        try await signIn()
        return server.messages(of: address).filter { $0.matches(filter) }.prefix(max(0, limit))
            .map(\.address)
    }

    public func read(
        _ messages: [RemoteMessageID], feed: FeedID
    ) async throws(AccountError) -> [RemoteMessage] {
        guard features.contains(.olderMail) else { throw .unsupported("reading older mail") }
        try await signIn()
        let store = server.store(of: address)
        return messages.compactMap { store.messages[RemoteAddress(feed: feed, id: $0)]?.remote }
    }

    /// Those that the server keeps: without the feature only the well-known ones.
    private func kept(_ keywords: Set<Keyword>) -> Set<Keyword> {
        features.contains(.keywords) ? keywords : keywords.filter { $0.rawValue.hasPrefix("$") }
    }

    /// Signs in as a connection would, which fails as one would.
    private func signIn() async throws(AccountError) {
        if Task.isCancelled { throw .cancelled }
        if isClosed.withLock({ $0 }) {
            throw .unreachable(host: MemoryMailServer.host, reason: "The session was closed.")
        }
        let password: Secret?
        do {
            password = try await secrets.secret(named: MemoryAccountProvider.passwordName)
        } catch {
            throw .secrets(error)
        }
        _ = try server.signIn(address, password)
    }
}

// MARK: Limits

extension MemoryAccountSession {
    /// Only a server of labels says what is used, so that both kinds are tried.
    public func quotas() async throws(AccountError) -> [AccountQuota] {
        try await signIn()
        guard server.layout == .labels else { return [] }
        let messages = server.store(of: address).messages.values
        return [
            AccountQuota(
                id: Id("storage"), resourceType: .octets, used: messages.reduce(0) { $0 + $1.bytes.count },
                hardLimit: 15_000_000_000, warnLimit: 13_500_000_000, name: "Storage"),
            AccountQuota(
                id: Id("messages"), resourceType: .count, used: messages.count, hardLimit: 1_000_000,
                name: "Messages"),
        ]
    }
}

// MARK: Watching and the end

extension MemoryAccountSession {
    public func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream<WatchEvent, any Error>.makeStream()
        guard features.contains(.push), !isClosed.withLock({ $0 }) else {
            continuation.finish()
            return stream
        }
        let id = UUID()
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        watchers.withLock { $0[id] = continuation }
        server.addWatcher(id, address, continuation)
        return stream
    }

    private func forget(_ id: UUID) {
        watchers.withLock { $0[id] = nil }
        server.removeWatcher(id, address)
    }

    public func close() async {
        isClosed.withLock { $0 = true }
        let open = watchers.withLock { $0 }
        for watcher in open.values {
            watcher.finish(
                throwing: AccountError.unreachable(
                    host: MemoryMailServer.host, reason: "The session was closed."))
        }
    }
}

// MARK: Bytes

extension MemoryAccountSession {
    private static func allBytes(of source: any ByteSource) async throws(AccountError) -> Data {
        try await local {
            var bytes = Data()
            for try await piece in source.pieces(of: 65_536) { bytes.append(piece) }
            return bytes
        }
    }

    /// Runs what the caller passed in: its error is its own, not the server's.
    private static func local<Answer>(
        _ body: () async throws -> Answer
    ) async throws(AccountError) -> Answer {
        if Task.isCancelled { throw .cancelled }
        do {
            return try await body()
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .local(reason: String(describing: error))
        }
    }
}
