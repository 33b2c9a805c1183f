import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import SuddenEnd

/// A session of the reference accounts, misbehaving as told.
struct MockAccountSession: AccountSession {
    let real: any AccountSession
    let calls: Misbehavior<AccountError>
    let end: SuddenEnd

    var features: AccountFeatures {
        get async { await calls.perform(quietly: "features") { await real.features } }
    }

    func mailboxes() async throws(AccountError) -> MailboxListing {
        try await calls.call("mailboxes") {
            try await real.mailboxes()
        } garbage: {
            Garbage.listing($0)
        }
    }

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        end.come(in: "changes")
        return try await calls.call("changes") {
            try await real.changes(in: feed, after: cursor, since: since, known: known)
        } garbage: {
            Garbage.batch($0)
        }
    }

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        try await calls.perform("fetch") {
            try await real.fetch(message, feed: feed, partID: partID, into: sink)
        }
    }

    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        // An outcome too few.
        try await calls.call("apply") {
            try await real.apply(mutations)
        } garbage: {
            $0.dropLast()
        }
    }

    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await calls.call("append") {
            try await real.append(
                message, to: mailbox, keywords: keywords, receivedAt: receivedAt, replacing: replacing)
        } garbage: { _ in
            Garbage.appended
        }
    }

    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        // An outcome too few.
        try await calls.call("importMessages") {
            try await real.importMessages(messages)
        } garbage: {
            $0.dropLast()
        }
    }

    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        // A recipient is refused to whom nothing was sent.
        try await calls.call("submit") {
            try await real.submit(message, envelope: envelope)
        } garbage: { _ in
            Garbage.submitted
        }
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        try await calls.call("findSent") {
            try await real.findSent(messageID: messageID)
        } garbage: {
            !$0
        }
    }

    func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress] {
        try await calls.call("search") {
            try await real.search(filter, limit: limit)
        } garbage: {
            $0 + $0 + [Garbage.address]
        }
    }

    func read(_ messages: [RemoteMessageID], feed: FeedID) async throws(AccountError) -> [RemoteMessage] {
        try await calls.call("read") {
            try await real.read(messages, feed: feed)
        } garbage: {
            $0 + $0
        }
    }

    /// A delay comes before the first event, a failure ends the stream.
    func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream<WatchEvent, any Error>.makeStream()
        let reader = Task {
            do {
                try await calls.perform("watch") {}
                for try await event in real.watch() { continuation.yield(event) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in reader.cancel() }
        return stream
    }

    func close() async {
        await calls.perform(quietly: "close") { await real.close() }
    }
}

/// Answers that a broken provider could give.
private enum Garbage {
    static let address = RemoteAddress(feed: FeedID("no such feed"), id: RemoteMessageID("no such message"))
    static let mailbox = RemoteMailboxID("no such mailbox")
    static let appended = AppendOutcome(address: address)
    static let submitted = SubmissionOutcome.accepted(
        SubmissionReply(code: 0, text: "\u{0}\r\n"),
        refused: ["nobody@elsewhere.example": SubmissionReply(code: -1, text: "")])

    /// Ids twice, a mailbox below one that does not exist and one below itself, feeds of nothing.
    static func listing(_ listing: MailboxListing) -> MailboxListing {
        let orphan = RemoteMailbox(id: RemoteMailboxID("orphan"), name: "", parentID: mailbox, role: .inbox)
        let circle = RemoteMailbox(id: mailbox, name: "a/b\u{0}", parentID: mailbox, role: .inbox)
        return MailboxListing(
            mailboxes: listing.mailboxes + listing.mailboxes + [orphan, circle],
            feeds: listing.feeds + listing.feeds + [Feed(id: FeedID(""), mailboxID: RemoteMailboxID("gone"))])
    }

    /// Messages twice and in no mailbox that exists, sizes and dates that cannot be, removals of
    /// what has just come, and a cursor that the provider itself does not understand.
    static func batch(_ batch: ChangeBatch) -> ChangeBatch {
        var batch = batch
        let broken = batch.messages.map { message in
            var message = message
            message.mailboxIDs = [mailbox]
            message.size = -1
            message.receivedAt = .distantFuture
            message.content = .whole(Data([0, 255, 13, 10]))
            return message
        }
        batch.messages += batch.messages + broken
        batch.removed += batch.messages.map(\.id)
        batch.updates.append(RemoteUpdate(id: address.id, mailboxIDs: []))
        batch.cursor = SyncCursor(rawValue: "garbage")
        batch.progress = SyncProgress(done: 5, total: -1)
        return batch
    }
}
