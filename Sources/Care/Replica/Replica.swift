import Accounts
import FoundationEssentials
import MailKernelAPI
import Store

/// A copy on this device of a store on a server, for the time in which the server does not respond.
///
/// It has all mail of the sync window with its texts, drafts with their files, contacts and settings. It follows the
/// store by its states, and has no outbox: what was sent before is the server's business.
package actor Replica {
    private static let pause = 60.0
    private static let contactsEvery = 3600.0
    /// While the store changes as it is read; each one continues where the one before ended.
    private static let attempts = 5

    private let source: MailStore
    package nonisolated let copy: MailStore
    private let clock: any HostClock
    private let log: LogOutput
    private var loop: Task<Void, Never>?
    private var contactsAt: Date?
    /// The copy is changed by one task at a time.
    private var turns = Turns<String>()

    package init(of source: MailStore, in copy: MailStore, clock: any HostClock, log: LogOutput) {
        self.source = source
        self.copy = copy
        self.clock = clock
        self.log = log
    }

    /// Whether the copy can stand in for the store.
    package static func isComplete(_ copy: MailStore) async throws(StorageError) -> Bool {
        try await ReplicaNotes(copy: copy).isComplete
    }

    package static func reset(_ copy: MailStore) async throws(StorageError) {
        try await ReplicaNotes(copy: copy).reset()
    }

    package var isComplete: Bool {
        get async { (try? await Self.isComplete(copy)) ?? false }
    }

    package func start() {
        guard loop == nil else { return }
        let news = source.news.listen()
        loop = Task {
            await catchUpUntilDone(nil)
            for await states in news {
                let types = Set(states.keys.map(\.type))
                guard !Task.isCancelled, !types.isDisjoint(with: Self.followed) else { continue }
                await catchUpUntilDone(types)
            }
        }
    }

    /// - Parameter catchesUp: whether the last changes come along, because the server may be far away at the next start.
    package func stop(catchesUp: Bool) async {
        loop?.cancel()
        await loop?.value
        guard catchesUp, loop != nil, await isComplete else { return }
        do {
            try await catchUp()
        } catch {
            log.write(.info, "mailkernel", "The copy on this device lacks the last changes. \(error.logged)")
        }
    }

    /// Removes the copy.
    package func wipe() async throws(StorageError) {
        await stop(catchesUp: false)
        try await copy.wipe()
    }

    private static let followed: Set<DataType> = Set(
        [.account, .mailbox, .email, .identity]
            + ReplicaDocuments.collections.map { DataType.documents($0) })

    /// After a failure, everything is looked at: news may have been missed.
    private func catchUpUntilDone(_ types: Set<DataType>?) async {
        var types = types
        while !Task.isCancelled {
            do {
                return try await catchUp(types)
            } catch {
                guard !Task.isCancelled else { return }
                log.write(
                    .info, "mailkernel", "The copy on this device could not follow. \(error.logged)")
                types = nil
                guard (try? await clock.sleep(for: error.isOvertaken ? 1 : Self.pause)) != nil else { return }
            }
        }
    }

    /// Makes the copy what the store is now.
    ///
    /// - Parameter types: those that changed; nil for all.
    package func catchUp(_ types: Set<DataType>? = nil) async throws {
        var types = types
        for _ in 1..<Self.attempts {
            do {
                return try await exclusively { try await follow(types) }
            } catch {
                guard error.isOvertaken else { throw error }
                try Task.checkCancellation()
                types = nil
            }
        }
        try await exclusively { try await follow(types) }
    }

    private func exclusively(_ body: () async throws -> Void) async throws {
        if !turns.take("") { await withCheckedContinuation { turns.wait(for: "", $0) } }
        defer { turns.giveBack("") }
        try await body()
    }

    private func follow(_ types: Set<DataType>?) async throws {
        let followsMail = types.map { !$0.isDisjoint(with: [.account, .mailbox, .email, .identity]) } ?? true
        let accounts = ReplicaAccounts(source: source, copy: copy, log: log)
        let ids = try await accounts.follow()
        let collections = ReplicaDocuments.collections.filter {
            types?.contains(.documents($0)) ?? true
        }
        // Settings first: they are small, and the page needs them.
        try await followDocuments(collections, in: nil)
        for id in ids {
            if followsMail { try await followMail(of: id, accounts) }
            try await followDocuments(collections, in: id)
        }
        if let id = ids.min(), types == nil || areContactsOld {
            try await ReplicaContacts(source: source, copy: copy).follow(in: id)
            contactsAt = clock.now
        }
        if types == nil { try await ReplicaNotes(copy: copy).setComplete() }
    }

    private var areContactsOld: Bool {
        contactsAt.map { clock.now.timeIntervalSince($0) > Self.contactsEvery } ?? true
    }

    private func followMail(of id: Id<Account>, _ accounts: ReplicaAccounts) async throws {
        let gone = try await accounts.followMailboxes(of: id)
        try await accounts.followIdentities(of: id)
        try await ReplicaEmails(source: source, copy: copy, accountID: id).follow()
        if !gone.isEmpty { try await copy.commit(gone.map { .destroyMailbox($0, in: id) }) }
    }

    private func followDocuments(_ collections: [String], in id: Id<Account>?) async throws {
        for collection in collections {
            try await ReplicaDocuments(source: source, copy: copy, collection: collection, accountID: id)
                .follow()
        }
    }

    // MARK: After the time without the server

    /// Makes the records of merged changes what they are in the store, and forgets the changes.
    package func settle(_ changes: [OfflineChange]) async throws {
        try await exclusively { try await forget(changes) }
    }

    private func forget(_ changes: [OfflineChange]) async throws {
        let ids = Set(try await ReplicaAccounts(source: source, copy: copy, log: log).follow())
        for id in ids {
            let own = changes.filter { $0.accountID == id }
            guard !own.isEmpty else { continue }
            // Emails need their mailboxes.
            _ = try await ReplicaAccounts(source: source, copy: copy, log: log).followMailboxes(of: id)
            try await ReplicaEmails(source: source, copy: copy, accountID: id)
                .refresh(own.filter { $0.type == .email }.map { Id($0.id) })
            let sent = own.filter { $0.type == .submission }.map { Id<EmailSubmission>($0.id) }
            let there = try await copy.read.submissions(sent, in: id)
            if !there.isEmpty { try await copy.commit(there.map { .destroySubmission($0.id, in: id) }) }
        }
        for change in changes {
            guard let key = change.document else { continue }
            // Its collection is then compared with the store's, also if the program is killed before that.
            try await copy.commit([
                change.removal,
                ReplicaDocuments.collections.contains(key.collection)
                    ? ReplicaNotes.forgetting(change.type, in: change.accountID) : .destroyDocument(key),
            ])
        }
        let rest = changes.filter { $0.document == nil }
        if !rest.isEmpty { try await copy.commit(rest.map(\.removal)) }
    }
}

extension Error {
    /// The store changed while it was read.
    fileprivate var isOvertaken: Bool {
        if self is MoveProblem { return true }
        guard let error = self as? StorageError else { return false }
        if case .notFound = error { return true }
        return error == .anchorNotFound
    }
}
