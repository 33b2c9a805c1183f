public import FoundationEssentials
public import MailKernelAPI

/// Brings mail that lies in files into an account that keeps its mail on this device.
///
/// What is there already is not added again, so an import that was interrupted goes on by being started
/// again.
public struct MailImport: Sendable {
    public struct Progress: Sendable, Hashable {
        public var bytesDone = 0
        public var bytesTotal = 0
        public var added = 0
        public var alreadyThere = 0
        public var failures: [ImportFailure] = []
        /// Failures beyond those that are listed.
        public var furtherFailures = 0

        public init() {}

        init(bytesTotal: Int) {
            self.bytesTotal = bytesTotal
        }

        mutating func note(_ failure: ImportFailure) {
            if failures.count < 100 { failures.append(failure) } else { furtherFailures += 1 }
        }
    }

    private static let batchCount = 500
    private static let batchBytes = 16_000_000

    private let accounts: Accounts
    private let accountID: Id<Account>
    private let clock: any HostClock

    public init(into accountID: Id<Account>, of kernel: MailKernel) {
        self.accountID = accountID
        accounts = kernel.accounts
        clock = kernel.clock
    }

    /// Whether there is mail at a place.
    ///
    /// - Throws: `ImportProblem` if not.
    public static func check(_ url: URL) throws {
        _ = try MailSources.open(url)
    }

    /// Imports a file or folder. Each batch is safe on disk when `report` hears of it.
    @discardableResult
    public func run(_ url: URL, report: @Sendable (Progress) async -> Void) async throws -> Progress {
        guard let sync = await accounts.sync(accountID) else { throw ImportProblem.noAccount }
        var source = try MailSources.open(url)
        var places = try await ImportMailboxes(sync.session)
        var progress = Progress(bytesTotal: source.size)
        while true {
            try Task.checkCancellation()
            let batch = try Self.batch(&source, &progress)
            if batch.isEmpty { break }
            var messages: [ImportedMessage] = []
            for found in batch {
                let place = ImportPlace(found)
                messages.append(
                    ImportedMessage(
                        bytes: DataSource(found.bytes), mailboxIDs: try await places.ids(of: place.targets),
                        keywords: place.keywords, receivedAt: found.receivedAt ?? clock.now))
            }
            for failure in places.takeFailures() { progress.note(failure) }
            for outcome in try await sync.session.importMessages(messages) { Self.count(outcome, &progress) }
            progress.bytesDone = source.position
            await sync.changed()
            await report(progress)
        }
        await sync.changed()
        await accounts.settle(accountID)
        return progress
    }

    private static func batch(_ source: inout any MailSource, _ progress: inout Progress) throws
        -> [FoundMessage]
    {
        var batch: [FoundMessage] = []
        var bytes = 0
        while batch.count < batchCount, bytes < batchBytes, let item = try source.next() {
            switch item {
            case .message(let message):
                batch.append(message)
                bytes += message.bytes.count
            case .failure(let failure): progress.note(failure)
            }
        }
        return batch
    }

    private static func count(_ outcome: ImportOutcome, _ progress: inout Progress) {
        switch outcome {
        case .added: progress.added += 1
        case .alreadyThere: progress.alreadyThere += 1
        case .refused(let error):
            progress.note(
                ImportFailure(
                    place: "message \(progress.added + progress.alreadyThere + 1)", reason: error.sentence))
        }
    }
}

/// The mailboxes of the account, made as they are needed.
private struct ImportMailboxes {
    private let session: any AccountSession
    private var mailboxes: [RemoteMailbox]
    private var known: [ImportPlace.Target: RemoteMailboxID] = [:]
    private var failures: [ImportFailure] = []

    init(_ session: any AccountSession) async throws {
        self.session = session
        mailboxes = try await session.mailboxes().mailboxes
    }

    mutating func ids(of targets: Set<ImportPlace.Target>) async throws -> Set<RemoteMailboxID> {
        var ids: Set<RemoteMailboxID> = []
        for target in targets { ids.insert(try await id(of: target)) }
        return ids
    }

    private mutating func id(of target: ImportPlace.Target) async throws -> RemoteMailboxID {
        if let id = known[target] { return id }
        let id =
            switch target {
            case .role(let role): try await mailbox(role)
            case .path(let names):
                if let made = try await mailbox(names) { made } else { try await mailbox(.archive) }
            }
        known[target] = id
        return id
    }

    private mutating func mailbox(_ role: Mailbox.Role) async throws -> RemoteMailboxID {
        if let mailbox = mailboxes.first(where: { $0.role == role }) { return mailbox.id }
        let name = role.rawValue.prefix(1).uppercased() + role.rawValue.dropFirst()
        guard let made = try await mailbox([name]) else {
            throw AccountError.refused("the mailbox “\(name)” could not be made")
        }
        return made
    }

    /// What could not be made since this was asked last.
    mutating func takeFailures() -> [ImportFailure] {
        defer { failures = [] }
        return failures
    }

    /// Nil if the account does not take a mailbox of this name.
    private mutating func mailbox(_ names: [String]) async throws -> RemoteMailboxID? {
        var parent: RemoteMailboxID?
        for name in names {
            if let there = mailboxes.first(where: { $0.name == name && $0.parentID == parent }) {
                parent = there.id
            } else {
                let outcome = try await session.apply([.createMailbox(name: name, parent: parent)]).first
                if case .failed(let error) = outcome { throw error }
                guard case .done(_, let made?) = outcome else {
                    failures.append(
                        ImportFailure(
                            place: names.joined(separator: "/"),
                            reason: "this mailbox could not be made; its messages are in the archive"))
                    return nil
                }
                mailboxes = try await session.mailboxes().mailboxes
                parent = made
            }
        }
        return parent
    }
}
