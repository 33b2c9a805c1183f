import FoundationEssentials
public import MailKernelAPI

/// A session for one account over IMAP, and over SMTP if it sends.
///
/// Each folder is a feed. With Gmail's extension, there is one feed in which each message occurs once, with
/// its labels as mailboxes, and two more for Trash and Junk.
public actor IMAPAccountSession: AccountSession {
    let configuration: IMAPConfiguration
    let host: HostServices
    let pool: ConnectionPool
    var directory: MailboxDirectory?
    private(set) var capabilities: Set<String> = []
    var statuses = StatusMemory()
    var plans: [FeedID: WaitingPlan] = [:]
    /// The connection that listens.
    var watching: IMAPConnection?
    /// The most recently returned messages.
    var recent = RecentMessages()
    /// Of mailboxes that do not count their changes: the keywords that were told.
    var flagMemory: [FeedID: FlagMemory] = [:]
    /// How often the connection was lost when the messages from this one on were asked for.
    var losses: [FeedID: (first: UInt32, count: Int)] = [:]
    /// When messages that could not be read were tried last.
    var skipped: [FeedID: SkippedMail] = [:]
    var leaving: LeavingMail
    private var identities: MailboxIdentities
    /// Labels that were looked for among the mailboxes.
    var knowsLabels: Set<String> = []

    public init(_ configuration: IMAPConfiguration, host: HostServices) {
        self.configuration = configuration
        self.host = host
        leaving = LeavingMail(
            user: configuration.login.user, host: configuration.imap.endpoint.host, folder: host.dataFolder)
        identities = MailboxIdentities(
            user: configuration.login.user, host: configuration.imap.endpoint.host, folder: host.dataFolder)
        pool = ConnectionPool(
            SignIn(configuration: configuration, network: host.network, clock: host.clock),
            limit: configuration.behavior.connections, clock: host.clock)
    }

    public var features: AccountFeatures {
        var features: AccountFeatures = [.mailboxChanges, .keywords, .serverSearch, .olderMail]
        if capabilities.contains("IDLE") { features.insert(.push) }
        if directory?.hasLabels == true { features.insert(.labels) }
        if capabilities.contains("REPLACE"), directory?.hasLabels != true {
            features.insert(.replacesAtomically)
        }
        if configuration.submission != nil { features.insert(.submission) }
        if configuration.behavior.savesSentCopies { features.insert(.savesSentCopies) }
        return features
    }

    public func close() async {
        for plan in plans.values { plan.ahead.cancel() }
        plans = [:]
        await pool.close()
    }

    // MARK: Mailboxes

    public func mailboxes() async throws(AccountError) -> MailboxListing {
        try await list().listing
    }

    /// Asks the server; two who ask at once share one answer.
    @discardableResult
    func list() async throws(AccountError) -> MailboxDirectory {
        try await withConnection { connection throws(AccountError) in
            try await self.list(connection)
        }
    }

    /// The same with a connection that the caller has.
    func list(_ connection: IMAPConnection) async throws(AccountError) -> MailboxDirectory {
        capabilities = await connection.capabilities
        // Of a mailbox that is selected, servers tell what this connection has seen of it.
        let selected = await connection.selected?.name
        let leaving = selected != nil && has("UNSELECT") ? [Command.unselect] : []
        let asked = host.clock.now
        var commands = [Command.list(specialUse: has("SPECIAL-USE"), status: statusItems)]
        if !has("SPECIAL-USE"), has("XLIST") { commands[0] = Command("XLIST").raw("\"\" \"*\"") }
        if has("NAMESPACE"), directory == nil { commands.append(.namespace) }
        let answers = try await connection.perform(leaving + commands).dropFirst(leaving.count)
        guard let answer = try answers.first?.orThrow() else { throw .badAnswer("no list of mailboxes") }
        // Every account has an inbox. A server in trouble, that lists nothing, has not lost all mailboxes.
        guard answer.responses.contains(where: { if case .list = $0 { true } else { false } }) else {
            throw .badAnswer("an empty list of mailboxes")
        }
        let responses = answers.flatMap(\.responses)
        let prefixes = responses.compactMap { if case .namespace(let prefix) = $0 { prefix } else { nil } }
        let made = MailboxDirectory(
            answer.responses.compactMap { if case .list(let box) = $0 { box } else { nil } },
            prefix: prefixes.first ?? directory?.prefix ?? "", hasLabels: has("X-GM-EXT-1"),
            isUTF8: has("IMAP4REV2") && !has("IMAP4REV1"), ids: try permanentIDs(responses))
        directory = made
        for case .mailboxStatus(let name, let status) in responses {
            statuses.remember(status, of: name, at: asked)
        }
        if let selected, !has("UNSELECT") { statuses.forget(selected) }
        return made
    }

    func has(_ capability: String) -> Bool { capabilities.contains(capability) }

    private var statusItems: [String]? {
        guard has("LIST-STATUS") else { return nil }
        let counts = has("CONDSTORE") ? ["MESSAGES", "UIDNEXT", "UIDVALIDITY", "HIGHESTMODSEQ"] : []
        let items = counts + (has("OBJECTID") ? ["MAILBOXID"] : [])
        return items.isEmpty ? nil : items
    }

    /// Of mailboxes that the server has given ids that outlast their names.
    private func permanentIDs(
        _ responses: [Untagged]
    ) throws(AccountError) -> [MailboxName: RemoteMailboxID] {
        var mailboxIDs: [MailboxName: String] = [:]
        for case .mailboxStatus(let name, let status) in responses { mailboxIDs[name] = status.mailboxID }
        guard !mailboxIDs.isEmpty else { return [:] }
        let listed = responses.compactMap { response -> (name: MailboxName, mailboxID: String?)? in
            guard case .list(let box) = response else { return nil }
            return (box.name, mailboxIDs[box.name])
        }
        return try identities.ids(of: listed)
    }

    /// The known mailboxes, without asking the server if possible.
    func knownDirectory() async throws(AccountError) -> MailboxDirectory {
        if let directory { return directory }
        return try await list()
    }

    /// A mailbox by its id; the list is requested again before it is reported as missing.
    func entry(_ id: RemoteMailboxID) async throws(AccountError) -> MailboxDirectory.Entry {
        if let entry = try await knownDirectory()[id] { return entry }
        guard let entry = try await list()[id] else { throw .notFound }
        return entry
    }

    func source(
        of feed: FeedID
    ) async throws(AccountError) -> (name: MailboxName, mailboxID: RemoteMailboxID?, isSelectable: Bool) {
        if let source = try await knownDirectory().source(of: feed) { return source }
        guard let source = try await list().source(of: feed) else { throw .notFound }
        return source
    }

    // MARK: Connections

    /// Runs `body` with exclusive use of a connection.
    ///
    /// A server may silently close an idle connection. A read-only operation is then repeated on another one.
    func withConnection<Answer: Sendable>(
        preferring mailbox: MailboxName? = nil, onlyReads: Bool = true,
        _ body: (IMAPConnection) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        let connection = try await pool.lend(preferring: mailbox)
        let wasUsed = await connection.hasBeenLent()
        do throws(AccountError) {
            return try await use(connection, body)
        } catch {
            if case .throttled(until: nil) = error { throw .throttled(until: await pool.backOff()) }
            guard wasUsed, onlyReads, error.isConnectionLoss, !Task.isCancelled else { throw error }
        }
        return try await use(try await pool.lend(preferring: nil), body)
    }

    /// Gives the connection back afterwards.
    private func use<Answer: Sendable>(
        _ connection: IMAPConnection, _ body: (IMAPConnection) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        do throws(AccountError) {
            let answer = try await body(connection)
            await pool.giveBack(connection)
            return answer
        } catch {
            await giveBack(connection, after: error)
            throw error
        }
    }

    /// After an invalid response, the connection is closed, because more may follow.
    private func giveBack(_ connection: IMAPConnection, after error: AccountError) async {
        if case .badAnswer = error, await connection.remarks.contains(.wasMisunderstood) {
            await connection.close()
        }
        await pool.giveBack(connection)
    }

    /// The same with a mailbox selected. That it is gone is `.notFound`.
    func withMailbox<Answer: Sendable>(
        _ name: MailboxName, onlyReads: Bool = true,
        _ body: (IMAPConnection, SelectedMailbox) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        try await withConnection(preferring: name, onlyReads: onlyReads) { connection throws(AccountError) in
            try await body(connection, try await connection.open(name))
        }
    }
}

extension IMAPConnection {
    /// Selects the mailbox, or sends NOOP if it is already selected, so that the server reports new messages.
    /// Until it does, they can be neither changed nor read on this connection, and commands for them succeed
    /// without effect.
    func open(_ name: MailboxName) async throws(AccountError) -> SelectedMailbox {
        if selected?.name == name {
            let answer = try await perform(.noop)
            guard answer.isOK else { throw answer.error }
            if let selected { return selected }
        }
        let answer = try await perform(.select(name, condStore: capabilities.contains("CONDSTORE")))
        guard answer.isOK, let selected else {
            // Servers have many words for this.
            if case .refused = answer.error { throw .notFound }
            throw answer.error
        }
        return selected
    }
}
