import Accounts
import FoundationEssentials
import Glibc
import Mail
import MailKernelAPI
import Store

/// What the user takes along: mail as mbox, settings as JSON.
package actor Exports {
    package enum Kind: String, Sendable {
        case mbox, settings
    }

    package struct Status: Sendable, Hashable {
        package let id: String
        package let kind: Kind
        package let accountID: Id<Account>?
        /// Where it is; nil until it is finished.
        package internal(set) var path: String?
        package internal(set) var done = 0
        package internal(set) var total = 0
        /// Messages that could not be had.
        package internal(set) var failures = 0
        package internal(set) var isFinished = false
        /// Why there is no file, in a sentence.
        package internal(set) var problem: String?
    }

    package static let dataType = DataType(rawValue: "Export")

    private let store: MailStore
    private let accounts: Accounts
    private let folder: URL?
    private let version: String
    private let ids: IDMaker
    private let clock: any HostClock
    private var all: [Status] = []
    private var tasks: [String: Task<Void, Never>] = [:]
    private var revision = 0

    package init(
        store: MailStore, accounts: Accounts, program: ProgramAccess, ids: IDMaker, clock: any HostClock
    ) {
        self.store = store
        self.accounts = accounts
        folder = program.downloads
        version = program.version
        self.ids = ids
        self.clock = clock
    }

    package var statuses: [Status] { all }
    package var state: State { store.news.state(revision) }

    /// Begins to write an account's mail into a file, and returns at once.
    package func beginMail(of account: Account) throws(ExportProblem) -> Status {
        let place = try place("\(account.address) \(day)", "mbox")
        let writer = try MboxWriter(place)
        let spool = MessageSpool(place.folder)
        return begin(.mbox, account.id) { id in
            do {
                try await self.write(account.id, to: writer, by: spool, id)
                return try await writer.finish()
            } catch {
                await writer.discard()
                throw error
            }
        }
    }

    /// Begins to write all settings into a file.
    package func beginSettings() throws(ExportProblem) -> Status {
        let place = try place("mailkernel settings \(day)", "json")
        return begin(.settings, nil) { _ in
            let settings = try await SettingsExport(
                store: self.store, version: self.version, at: self.clock.now
            )
            .json()
            let file = try ExportFile(place)
            do {
                try file.write(settings)
                return try file.finish()
            } catch {
                file.discard()
                throw error
            }
        }
    }

    /// Once it has ended; nil if there is none.
    package func finished(_ id: String) async -> Status? {
        await tasks[id]?.value
        return all.first { $0.id == id }
    }

    /// Ends an export; nothing of it is left. Returns whether there is one.
    package func stop(_ id: String) -> Bool {
        guard all.contains(where: { $0.id == id }) else { return false }
        tasks[id]?.cancel()
        return true
    }

    package func stopAll() async { await tasks.endAll() }

    private func begin(
        _ kind: Kind, _ accountID: Id<Account>?, _ work: @escaping @Sendable (String) async throws -> String
    ) -> Status {
        let status = Status(id: ids.text("X"), kind: kind, accountID: accountID)
        all.append(status)
        changed()
        tasks[status.id] = Task {
            do {
                let path = try await work(status.id)
                update(status.id) { $0.path = path }
            } catch {
                update(status.id) { $0.problem = Self.sentence(error) }
            }
            update(status.id) { $0.isFinished = true }
            tasks[status.id] = nil
        }
        return status
    }

    private func write(
        _ accountID: Id<Account>, to writer: MboxWriter, by spool: MessageSpool, _ id: String
    ) async throws {
        let emails = try await store.read.queryEmails(
            EmailQuery(
                in: [accountID], sort: [EmailSort(.receivedAt, isAscending: true)], limit: 1_000_000))
        update(id) { $0.total = emails.hits.count }
        let labels = ExportLabels(try await store.read.mailboxes(nil, in: accountID).map(\.mailbox))
        for hit in emails.hits {
            try Task.checkCancellation()
            guard let email = try await store.read.emails([hit.emailID], in: accountID).first?.email else {
                continue
            }
            do throws(AccountError) {
                try await settling { try await spool.clear() }
                try await bytes(of: hit.emailID, in: accountID, into: spool)
            } catch {
                // A message that cannot be read is skipped. A local error is that of the export's own file.
                if case .local = error { throw error }
                guard error.scope == .call else { throw error }
                update(id) { $0.failures += 1 }
                continue
            }
            let entry = ArchiveEntry(
                targets: labels.targets(of: email), keywords: email.keywords, receivedAt: email.receivedAt,
                form: await spool.form)
            try await writer.add(spool, entry, labels: try labels.field(of: email))
            update(id) { $0.done += 1 }
        }
    }

    private func settling(_ body: () async throws -> Void) async throws(AccountError) {
        do { try await body() } catch { throw .local(reason: "\(error)") }
    }

    /// The message as it came: from here if it is here, else from the service, and then not kept twice.
    private func bytes(
        of id: Id<Email>, in accountID: Id<Account>, into sink: any ByteSink
    ) async throws(AccountError) {
        do {
            let blob = BlobID(email: id).id
            if try await store.read.blobInfo(blob, in: accountID) != nil {
                return try await StoredBlob(blob, in: accountID, store.read).write(to: sink)
            }
            guard let session = await accounts.session(accountID) else {
                throw ExportProblem(
                    sentence:
                        "The account is inactive, and not all of its mail is on this device. Sign in again.")
            }
            guard let ref = try await store.read.remoteRefs(of: [id], in: accountID).current.first,
                try await !FormerPlace.isBeingLeft(accountID, store)
            else { throw AccountError.notFound }
            try await session.fetch(ref.remoteID, feed: ref.feed, partID: nil, into: sink)
        } catch let error as AccountError {
            throw error
        } catch let error as StorageError {
            throw .local(reason: error.sentence)
        } catch {
            throw .local(reason: "\(error)")
        }
    }

    private func place(_ name: String, _ ending: String) throws(ExportProblem) -> ExportPlace {
        guard let folder else { throw ExportProblem(sentence: "There is no downloads folder.") }
        return ExportPlace(folder, name: name, ending: ending)
    }

    private var day: String { String(clock.now.formatted(.iso8601).prefix(10)) }

    private func update(_ id: String, _ change: (inout Status) -> Void) {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        let before = all[index]
        change(&all[index])
        // A bar does not move for less than a hundredth.
        let step = max(1, all[index].total / 100)
        if before.done / step != all[index].done / step || before.done == all[index].done { changed() }
    }

    private func changed() {
        revision += 1
        store.news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case is CancellationError, AccountError.cancelled: "Stopped. Nothing was saved."
        case let error as AccountError: error.sentence
        case let error as StorageError: error.sentence
        default: "\(error)"
        }
    }
}
