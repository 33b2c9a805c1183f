import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A session of one account. It opens the account's folder when it is first needed.
actor LocalSession: AccountSession {
    let address: LocalAddress
    private let accounts: LocalAccounts
    private let host: HostServices
    private let opened: OpenedFolder
    /// What watches, to be ended with the session.
    nonisolated private let watchers = Mutex<[UUID: Task<Void, Never>]>([:])

    init(address: LocalAddress, isDemo: Bool, accounts: LocalAccounts, host: HostServices) {
        self.address = address
        self.accounts = accounts
        self.host = host
        let paths = accounts.paths(of: address)
        let person = isDemo ? DemoPerson.all.first { $0.address.normal == address.normal } : nil
        opened = OpenedFolder {
            try await MailFolder.open(paths, log: host.log)
        } prepare: { folder in
            if let person { try await folder.fill(for: person, now: host.clock.now) }
        }
    }

    nonisolated var features: AccountFeatures {
        [
            .local, .labels, .submission, .replacesAtomically, .mailboxChanges, .keywords, .imports, .push,
        ]
    }

    private func folder() async throws(FolderError) -> MailFolder { try await opened.folder() }

    func mailboxes() async throws(AccountError) -> MailboxListing {
        try await forTheKernel { () throws(FolderError) in
            MailboxListing(
                mailboxes: try await folder().mailboxes(), feeds: [Feed(id: MailFolder.feed)])
        }
    }

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        guard feed == MailFolder.feed else { throw .notFound }
        return try await forTheKernel { () throws(FolderError) in
            try await folder().changes(after: cursor, since: since)
        }
    }

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        // Messages are reported whole, so there are no parts to fetch.
        guard feed == MailFolder.feed, partID == nil else { throw .notFound }
        try await forTheKernel { () throws(FolderError) in
            try await folder().fetch(message, into: sink)
        }
    }

    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        var outcomes: [MutationOutcome] = []
        for mutation in mutations {
            do throws(FolderError) {
                outcomes.append(try await folder().apply(mutation))
            } catch {
                if case .cancelled = error, outcomes.isEmpty { throw .cancelled }
                // The reason affects all further mutations too.
                outcomes.append(.failed(error.forTheKernel))
                break
            }
        }
        outcomes += Array(repeating: .notTried, count: mutations.count - outcomes.count)
        return outcomes
    }

    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await forTheKernel { () throws(FolderError) in
            AppendOutcome(
                address: try await folder().append(
                    message, to: mailbox, keywords: keywords, receivedAt: receivedAt, replacing: replacing))
        }
    }

    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        try await forTheKernel { () throws(FolderError) in try await folder().take(messages) }
    }

    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        try await forTheKernel { () throws(FolderError) in
            let post = LocalPost(accounts: accounts, clock: host.clock, log: host.log)
            return try await post.send(message, envelope, from: address, try await folder())
        }
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        try await forTheKernel { () throws(FolderError) in
            try await folder().hasSent(MessageHeader.bare(messageID))
        }
    }

    // MARK: Watching and the end

    nonisolated func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream<WatchEvent, any Error>.makeStream()
        let id = UUID()
        let watching = Task {
            do throws(FolderError) {
                try await folder().watch { continuation.yield($0) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error.forTheKernel)
            }
            forget(id)
        }
        watchers.withLock { $0[id] = watching }
        continuation.onTermination = { _ in watching.cancel() }
        return stream
    }

    nonisolated private func forget(_ id: UUID) {
        watchers.withLock { $0[id] = nil }
    }

    func close() async {
        for watcher in watchers.withLock({ Array($0.values) }) { watcher.cancel() }
        await opened.close()
    }
}
