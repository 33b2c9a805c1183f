import FoundationEssentials
import MailKernelAPI

/// A plugin's accounts, each call noted while it lasts: a call that never returns can be named.
struct NotedProvider: AccountProvider {
    let pluginID: String
    let inner: any AccountProvider
    let calls: ProviderCalls

    var setups: [AccountSetup] { inner.setups }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        try await calls.note(pluginID, "authorize") { () throws(AccountError) in
            try await inner.authorize(step)
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        try await calls.note(pluginID, "validate") { () throws(AccountError) in
            try await inner.validate(candidate)
        }
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let session = try await calls.note(pluginID, "session") { () throws(AccountError) in
            try await inner.session(for: account, secrets: secrets)
        }
        return NotedSession(pluginID: pluginID, inner: session, calls: calls)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        try await calls.note(pluginID, "revoke") { () throws(AccountError) in
            try await inner.revoke(account, secrets: secrets)
        }
    }
}

private struct NotedSession: AccountSession {
    let pluginID: String
    let inner: any AccountSession
    let calls: ProviderCalls

    private func note<Answer>(
        _ name: String, _ body: () async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        try await calls.note(pluginID, name, body)
    }

    var features: AccountFeatures {
        get async { await calls.note(pluginID, "features") { await inner.features } }
    }

    func mailboxes() async throws(AccountError) -> MailboxListing {
        try await note("mailboxes") { () throws(AccountError) in try await inner.mailboxes() }
    }

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        try await note("changes") { () throws(AccountError) in
            try await inner.changes(in: feed, after: cursor, since: since, known: known)
        }
    }

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        try await note("fetch") { () throws(AccountError) in
            try await inner.fetch(message, feed: feed, partID: partID, into: sink)
        }
    }

    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        try await note("apply") { () throws(AccountError) in try await inner.apply(mutations) }
    }

    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await note("append") { () throws(AccountError) in
            try await inner.append(
                message, to: mailbox, keywords: keywords, receivedAt: receivedAt, replacing: replacing)
        }
    }

    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        try await note("importMessages") { () throws(AccountError) in
            try await inner.importMessages(messages)
        }
    }

    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SMTPOutcome {
        try await note("submit") { () throws(AccountError) in
            try await inner.submit(message, envelope: envelope)
        }
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        try await note("findSent") { () throws(AccountError) in
            try await inner.findSent(messageID: messageID)
        }
    }

    /// Not noted: it lasts as long as the session.
    func watch() -> AsyncThrowingStream<WatchEvent, any Error> { inner.watch() }

    func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress] {
        try await note("search") { () throws(AccountError) in
            try await inner.search(filter, limit: limit)
        }
    }

    func close() async { await calls.note(pluginID, "close") { await inner.close() } }
}
