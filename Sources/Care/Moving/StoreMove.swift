import MailKernelAPI
import Store
import Synchronization

/// Moves everything from one store into another, and compares them. The old store is only read.
package struct StoreMove: Sendable {
    /// One of the two stores, open.
    package struct Side: Sendable {
        let id: String
        let name: String
        let mail: MailStore
        private let patience: Duration

        /// - Parameters:
        ///   - id: of its plugin.
        ///   - patience: how long to wait for other kernels. The lease of one that was killed becomes free within 10 s.
        package init(id: String, name: String, mail: MailStore, patience: Duration = .seconds(12)) {
            self.id = id
            self.name = name
            self.mail = mail
            self.patience = patience
        }

        /// Keeps other kernels from looking after its accounts until it is closed.
        package func hold() async throws {
            guard let sharing = mail.sharing else { return }
            let end = ContinuousClock.now + patience
            for account in try await mail.read.accounts() {
                while try await sharing.takeLease(of: account.id) == nil {
                    guard ContinuousClock.now < end else { throw MoveProblem.inUse(name: name) }
                    try await Task.sleep(for: .milliseconds(500))
                }
            }
        }
    }

    /// How far it is, in messages.
    package enum Step: Sendable, Equatable {
        /// The old store has changed since an earlier try, so that one counts for nothing.
        case startsAgain
        case moving(done: Int, total: Int)
        case comparing(done: Int, total: Int)
    }

    private let source: Side
    private let destination: Side

    package init(from source: Side, to destination: Side) {
        self.source = source
        self.destination = destination
    }

    /// Whether what models made of emails is left behind.
    package var leavesInsights: Bool { source.mail.keepsInsights && !destination.mail.keepsInsights }

    /// Continues where an earlier try stopped. If the result is equal, the new store can be used.
    package func run(_ report: @escaping @Sendable (Step) -> Void) async throws -> MoveResult {
        try await source.hold()
        try await destination.hold()
        let accounts = try await source.mail.read.accounts()
        let states = try await source.mail.states(of: accounts)
        var progress = try await begin(MoveProgress(source: source.id, states: states), report)
        let total = try await source.mail.count(EmailQuery(in: accounts.map(\.id)))
        try await move(accounts, progress, total, report)
        let result = try await compare(accounts, total, report)
        let now = try await source.mail.states(of: source.mail.read.accounts())
        guard now == states else { throw MoveProblem.changed(name: source.name) }
        guard result.isEqual else { return result }
        progress = try await MoveProgress.read(from: destination.mail) ?? progress
        progress.isFinished = true
        try await destination.mail.commit([try progress.change])
        return result
    }

    /// Removes the note on the move from the new store, which is in use from now on.
    package func finish() async throws(StorageError) {
        try await destination.mail.commit([MoveProgress.removal])
    }

    /// The plugin of the store that a move to this one came from; nil unless the move was not finished. Such a store
    /// must not be used: it holds a part of the mail.
    package static func unfinishedSource(in store: MailStore) async throws(StorageError) -> String? {
        guard let progress = try await MoveProgress.read(from: store), !progress.isFinished else {
            return nil
        }
        return progress.source
    }

    private func begin(_ start: MoveProgress, _ report: (Step) -> Void) async throws -> MoveProgress {
        let found = try await MoveProgress.read(from: destination.mail)
        if let found, start.continues(found) { return found }
        if let found, !found.isFinished {
            guard found.source == source.id else {
                throw MoveProblem.otherMove(from: found.source, id: destination.id)
            }
            report(.startsAgain)
            try await destination.mail.wipe()
            _ = try await destination.mail.open()
        }
        guard try await destination.mail.read.accounts().isEmpty else {
            throw MoveProblem.notEmpty(id: destination.id, name: destination.name)
        }
        try await removeSettings()
        try await destination.mail.commit([try start.change])
        return start
    }

    /// A store that was opened once without an account holds settings of that time.
    private func removeSettings() async throws {
        for collection in DocumentCollections.all {
            let old = try await destination.mail.allDocuments(in: collection)
            guard !old.isEmpty else { continue }
            try await destination.mail.commit(old.map { .destroyDocument($0.key) })
        }
    }

    private func move(
        _ accounts: [Account], _ progress: MoveProgress, _ total: Int,
        _ report: @escaping @Sendable (Step) -> Void
    ) async throws {
        let there = try await destination.mail.read.accounts().map(\.id)
        var done = try await destination.mail.count(EmailQuery(in: there))
        report(.moving(done: done, total: total))
        let move = RecordMove(source: source.mail, destination: destination.mail, accounts: accounts) {
            guard $0 > 0 else { return }
            done += $0
            report(.moving(done: done, total: total))
        }
        try await move.run(progress)
    }

    private func compare(
        _ accounts: [Account], _ total: Int, _ report: @escaping @Sendable (Step) -> Void
    ) async throws -> MoveResult {
        let done = Mutex(0)
        let count: @Sendable (Int) -> Void = { more in
            guard more > 0 else { return }
            let sum = done.withLock { done in
                done += more
                return done
            }
            report(.comparing(done: sum, total: 2 * total))
        }
        let insights = source.mail.keepsInsights && destination.mail.keepsInsights
        async let old = StoreTally(of: source.mail, readsInsights: insights, report: count)
        async let new = StoreTally(of: destination.mail, readsInsights: insights, report: count)
        let addresses = Dictionary(accounts.map { ($0.id, $0.address) }) { first, _ in first }
        return MoveResult(
            try await old, try await new, addresses: addresses, names: (source.name, destination.name))
    }
}
