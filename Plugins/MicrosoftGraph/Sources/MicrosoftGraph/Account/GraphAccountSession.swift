import FoundationEssentials
import MailKernelAPI

/// Access to the mail of one account through Microsoft Graph. Each folder is a feed, and a mailbox.
actor GraphAccountSession: AccountSession {
    let wire: GraphWire
    let attempts: Attempts
    let log: PluginLog
    var tree = FolderTree()
    private var isClosed = false
    private var watching: [UUID: Task<Void, Never>] = [:]
    /// Messages that were put into a folder from here and that no sync has reported yet, by folder.
    var added: [String: Set<String>] = [:]
    /// Batches that are asked for at once. Fewer while Microsoft finds them too many.
    var width = GraphWire.mostRequests
    var calmPages = 0
    /// Messages that could not be read: since when, and how often.
    var stubborn: [String: (first: Date, tries: Int)] = [:]
    /// The ids of a folder while the removed ones are looked for.
    var present: [String: Set<String>] = [:]
    /// The next pages, by folder.
    var ahead: [String: Ahead] = [:]
    /// Categories as Outlook writes them, by keyword.
    var categories: [Keyword: String] = [:]

    init(wire: GraphWire, attempts: Attempts, log: PluginLog) {
        self.wire = wire
        self.attempts = attempts
        self.log = log
    }

    nonisolated var place: Place { wire.place }

    nonisolated var features: AccountFeatures {
        [.push, .mailboxChanges, .keywords, .submission, .savesSentCopies]
    }

    /// Does something and gives its failures their meaning for the kernel.
    func meaningful<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws(AccountError) -> Value {
        if isClosed || Task.isCancelled { throw .cancelled }
        do {
            return try await body()
        } catch let error as AccountError {
            throw error
        } catch let error as GraphFailure {
            throw Task.isCancelled ? .cancelled : error.meaning(host: place.host, now: wire.clock.now)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "\(error)")
        }
    }

    // MARK: Mailboxes

    func mailboxes() async throws(AccountError) -> MailboxListing {
        try await meaningful {
            let mailboxes = try await listing()
            return MailboxListing(mailboxes: mailboxes, feeds: mailboxes.map(Self.feed))
        }
    }

    private static func feed(of mailbox: RemoteMailbox) -> Feed {
        let priority =
            switch mailbox.role {
            case .inbox: 0
            case .sent: 1
            case .drafts: 2
            case .trash, .junk: 4
            case .archive, .flagged, .all, .important, nil: 3
            }
        return Feed(id: FeedID(mailbox.id.rawValue), mailboxID: mailbox.id, priority: priority)
    }

    // MARK: Bytes

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        try await meaningful {
            guard message.isUsable, feed.isUsable else { throw AccountError.notFound }
            let path = place.message(message.rawValue)
            guard let partID else { return try await wire.download(path + "/$value", into: sink) }
            guard partID != ParsedMessage.bodyID else {
                let body = try await wire.get(JSONValue.self, path + "?$select=body", purpose: "read mail")
                return try await sink.write(Data((body["body"]?["content"]?.stringValue ?? "").utf8))
            }
            guard RemoteMessageID(partID).isUsable || partID.utf8.count <= 1_000 else {
                throw AccountError.notFound
            }
            try await wire.download("\(path)/attachments/\(Place.escaped(partID))/$value", into: sink)
        }
    }

    // MARK: The end

    /// Remembers a task that `close` has to end.
    func note(_ task: Task<Void, Never>, _ id: UUID) {
        if isClosed { task.cancel() } else { watching[id] = task }
    }

    func forget(_ id: UUID) { watching[id] = nil }

    func close() async {
        isClosed = true
        for task in watching.values { task.cancel() }
        for one in ahead.values { one.page.cancel() }
        ahead = [:]
        watching = [:]
    }
}
