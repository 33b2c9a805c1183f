import Accounts
import FoundationEssentials
import MailKernelAPI

/// Imports mail from files into an account on this device.
///
/// Existing messages are not added again, so an interrupted import continues when it is started again.
package struct MailImport: Sendable {
    package struct Progress: Sendable, Hashable {
        package var bytesDone = 0
        package var bytesTotal = 0
        package var added = 0
        package var alreadyThere = 0
        /// Messages that were deleted in the program that wrote the file.
        package var deleted = 0
        package var failures: [ImportFailure] = []
        /// Whether everything was read.
        package var isWhole: Bool { failures.isEmpty }
        /// Whether there is nothing to show for it.
        package var isNothing: Bool { added + alreadyThere + deleted == 0 }
        /// Failures beyond those that are listed.
        package var furtherFailures = 0

        package init() {}

        init(bytesTotal: Int) {
            self.bytesTotal = bytesTotal
        }

        mutating func note(_ failure: ImportFailure) {
            if failures.count < 1000 { failures.append(failure) } else { furtherFailures += 1 }
        }
    }

    private static let batchCount = 500
    private static let batchBytes = 16_000_000

    private let accounts: Accounts
    private let accountID: Id<Account>
    private let clock: any HostClock

    package init(into accountID: Id<Account>, of accounts: Accounts, clock: any HostClock) {
        self.accountID = accountID
        self.accounts = accounts
        self.clock = clock
    }

    /// Whether there is mail at a place.
    ///
    /// - Throws: `ImportProblem` if not.
    package static func check(_ url: URL) throws {
        _ = try MailSources.open(url)
    }

    /// Imports a file or folder. Each batch is safe on disk when `report` hears of it.
    @discardableResult
    package func run(_ url: URL, report: @Sendable (Progress) async -> Void) async throws -> Progress {
        guard let sync = await accounts.sync(accountID) else {
            throw accounts.looksAfter(accountID) ? ImportProblem.noAccount : .elsewhere
        }
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
                        keywords: place.keywords, receivedAt: found.date(now: clock.now)))
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
            case .deleted: progress.deleted += 1
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
