import FoundationEssentials
import MailKernelAPI

/// The mail of an account that has no folders anywhere else, kept in a folder on this device.
///
/// A plugin that fetches messages from a server which is only a letter box, such as POP3, adds them here and answers the
/// kernel from here. Everything added is on the disk when the call returns.
public actor KeptMail {
    public static let feed = MailFolder.feed

    /// The mailbox of a role: each account has the inbox, drafts, sent mail, the archive, junk and the trash.
    public static func mailbox(_ role: Mailbox.Role) -> RemoteMailboxID { StandardMailbox.id(role) }

    private let address: LocalAddress
    private let accounts: LocalAccounts
    private let opened: OpenedFolder

    /// The mail of an address, below a plugin's own folder. Opened when it is first needed.
    public init(of address: String, in dataFolder: URL, log: PluginLog) throws(AccountError) {
        guard let address = LocalAddress(address) else {
            throw .invalid(
                field: "address", reason: "Please enter your full address, such as ada@example.org.")
        }
        let accounts = LocalAccounts(dataFolder)
        self.address = address
        self.accounts = accounts
        opened = OpenedFolder {
            try accounts.prepare(address)
            return try await MailFolder.open(accounts.paths(of: address), log: log)
        } prepare: { folder in
            try await folder.change { writer throws(FolderError) in
                try writer.database.execute(OriginTable.schema)
            }
        }
    }

    /// Deletes all of it. Close every session of the account before.
    public func remove() async throws(AccountError) {
        await close()
        try await forTheKernel { () throws(FolderError) in try accounts.remove(address) }
    }

    public func close() async { await opened.close() }

    func folder() async throws(FolderError) -> MailFolder { try await opened.folder() }
}

// What a session answers, in the words of the contract.
extension KeptMail {
    public func listing() async throws(AccountError) -> MailboxListing {
        try await forTheKernel { () throws(FolderError) in
            MailboxListing(mailboxes: try await folder().mailboxes(), feeds: [Feed(id: Self.feed)])
        }
    }

    public func changes(after cursor: SyncCursor?, since: Date?) async throws(AccountError) -> ChangeBatch {
        try await forTheKernel { () throws(FolderError) in
            try await folder().changes(after: cursor, since: since)
        }
    }

    public func fetch(_ message: RemoteMessageID, into sink: any ByteSink) async throws(AccountError) {
        try await forTheKernel { () throws(FolderError) in try await folder().fetch(message, into: sink) }
    }

    public func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        var outcomes: [MutationOutcome] = []
        for mutation in mutations {
            do throws(FolderError) {
                outcomes.append(try await folder().apply(mutation))
            } catch {
                if case .cancelled = error, outcomes.isEmpty { throw .cancelled }
                outcomes.append(.failed(error.forTheKernel))
                break
            }
        }
        outcomes += Array(repeating: .notTried, count: mutations.count - outcomes.count)
        return outcomes
    }

    public func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await forTheKernel { () throws(FolderError) in
            AppendOutcome(
                address: try await folder().append(
                    message, to: mailbox, keywords: keywords, receivedAt: receivedAt, replacing: replacing))
        }
    }

    public func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        try await forTheKernel { () throws(FolderError) in try await folder().take(messages) }
    }
}

// What is read of a header.
extension KeptMail {
    /// Bytes beyond this are not looked at.
    public static let headerLimit = MessageHeader.limit

    /// The Message-ID in the beginning of a message, without angle brackets; nil if there is none.
    public static func messageID(in beginning: Data) -> String? { MessageHeader(beginning).messageID }
}
