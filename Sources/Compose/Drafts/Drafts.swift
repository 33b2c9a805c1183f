import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Drafts. A draft is on disk when saving it returns; the email that shows it in Drafts, locally and on the
/// service, follows in the background.
package actor Drafts {
    let store: MailStore
    let accounts: Accounts
    let blobs: Blobs
    let mail: MailActions
    nonisolated let copies: ServerCopies
    let presence: Presence
    let ids: IDMaker
    let clock: any HostClock
    let log: LogOutput
    private var listener: Task<Void, Never>?
    /// Work under way per draft: showing it, and fetching its attachments.
    private var tasks: [Id<Draft>: Task<Void, Never>] = [:]
    private var again: Set<Id<Draft>> = []
    private var isStopping = false
    /// Drafts that were written on or looked at since the program started: they may be open in a composer.
    var touched: Set<Id<Draft>> = []
    private(set) var lastShown: [Id<Draft>: Date] = [:]
    /// Pauses before drafts are shown again.
    private var pauses: [UUID: Task<Void, any Error>] = [:]
    private var settling = 0
    private var wakers: [Id<Account>: Task<Void, Never>] = [:]
    private var retries: [Id<Draft>: Task<Void, Never>] = [:]
    /// How often attachments of a draft that could not be fetched were to be fetched again.
    private var fetchRounds: [Id<Draft>: Int] = [:]

    package init(
        store: MailStore, accounts: Accounts, blobs: Blobs, mail: MailActions, copies: ServerCopies,
        presence: Presence, ids: IDMaker, clock: any HostClock, log: LogOutput
    ) {
        self.store = store
        self.accounts = accounts
        self.blobs = blobs
        self.mail = mail
        self.copies = copies
        self.presence = presence
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    /// Continues the unfinished work of the last run.
    package func start() async {
        let news = store.news.listen()
        do {
            for account in try await store.read.accounts() { await goOn(in: account.id) }
        } catch {
            log.write(.warning, "mailkernel", "The drafts could not be read. \(error.logged)")
        }
        listener = Task { [weak self] in
            for await states in news {
                let changed = states.keys.filter { $0.type == .email }.compactMap(\.accountID)
                for accountID in changed { await self?.emailsChanged(accountID) }
            }
        }
    }

    private func goOn(in accountID: Id<Account>) async {
        do {
            for draft in try await all(in: accountID) {
                guard draft.content.isEmpty, draft.submissionID == nil else {
                    follow(draft)
                    continue
                }
                if !mayBeOpenElsewhere(draft) { await destroyEmpty(draft) }
            }
        } catch {
            log.write(.warning, "mailkernel", "The drafts of an account could not be read. \(error.logged)")
        }
    }

    package func stop() async {
        isStopping = true
        listener?.cancel()
        for task in wakers.values { task.cancel() }
        for task in retries.values { task.cancel() }
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
    }

    // MARK: Reading

    /// All drafts of an account that were saved here, by id.
    package func all(in accountID: Id<Account>) async throws -> [Draft] {
        try await store.allDocuments(in: Draft.collection, accountID: accountID).compactMap {
            $0.read(as: Draft.self)
        }
    }

    /// The same, without their recipients and texts.
    func outlines(in accountID: Id<Account>) async throws -> [Draft] {
        try await store.allDocuments(in: Draft.collection, accountID: accountID).compactMap(Draft.outline)
    }

    /// A draft by its id; one that is only an email in Drafts so far has an id too.
    package func draft(_ id: Id<Draft>, in accountID: Id<Account>) async throws -> Draft? {
        if let saved = try await saved(id, in: accountID) {
            touched.insert(id)
            return saved
        }
        guard let emailID = ForeignDraft.email(of: id) else { return nil }
        return try await ForeignDraft(store: store).draft(of: emailID, in: accountID)
    }

    /// The draft behind an email of Drafts, wherever it was written; also behind an email that it has replaced since.
    package func draft(of emailID: Id<Email>, in accountID: Id<Account>) async throws -> Draft? {
        let outline = try await outlines(in: accountID).first { $0.isShown(by: emailID) }
        if let outline, let saved = try await saved(outline.id, in: accountID) {
            touched.insert(saved.id)
            return saved
        }
        return try await ForeignDraft(store: store).draft(of: emailID, in: accountID)
    }

    func saved(_ id: Id<Draft>, in accountID: Id<Account>) async throws -> Draft? {
        guard id.isValid else { return nil }
        let document = try await store.read.document(Draft.key(id, accountID))
        return document?.read(as: Draft.self)
    }

    // MARK: Writing

    /// Saves a new draft.
    ///
    /// - Throws: `ComposeError.empty` if there is nothing in it.
    package func create(_ content: DraftContent, in accountID: Id<Account>) async throws -> Draft {
        let content = content.normalized()
        guard !content.isEmpty else { throw ComposeError.empty }
        let draft = Draft(id: ids.next("D"), accountID: accountID, content: content, savedAt: clock.now)
        return try await copies.turns.take(draft.id.rawValue) { try await self.save(draft, over: nil) }
    }

    /// Saves a draft as it is now.
    ///
    /// - Parameter change: makes the new content of the old.
    /// - Throws: `ComposeError.isBeingSent`, `.notFound`, or what `change` throws.
    package func update(
        _ id: Id<Draft>, in accountID: Id<Account>,
        _ change: @Sendable (DraftContent) throws -> DraftContent
    ) async throws -> Draft {
        try await copies.turns.take(id.rawValue) {
            guard var draft = try await self.draft(id, in: accountID) else { throw ComposeError.notFound }
            guard draft.submissionID == nil else { throw ComposeError.isBeingSent }
            let old = draft
            draft.content = try change(draft.content).normalized(over: old.version == 0 ? nil : old.content)
            guard draft.content != old.content || old.version == 0 else { return old }
            draft.version += 1
            draft.savedAt = self.clock.now
            return try await self.save(draft, over: old)
        }
    }

    private func save(_ draft: Draft, over old: Draft?) async throws -> Draft {
        var draft = draft
        touched.insert(draft.id)
        let files = DraftFiles(store: store, blobs: blobs)
        let claims = try await files.claim(&draft.content, over: old?.content, in: draft.accountID)
        let others = try await others(than: draft)
        try await store.commit(claims + [try draft.change()])
        if let old, draft.content.asksAgain(after: old.content) { beginFetchRound(of: draft.id) }
        // It is saved: nothing that follows may say otherwise.
        follow(draft)
        await files.forget(old?.content, besides: others + [draft], in: draft.accountID)
        return draft
    }

    /// Destroys a draft, here and at the service.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func destroy(_ id: Id<Draft>, in accountID: Id<Account>) async throws -> Bool {
        try await copies.turns.take(id.rawValue) {
            guard let draft = try await self.draft(id, in: accountID) else { return false }
            guard draft.submissionID == nil else { throw ComposeError.isBeingSent }
            try await self.remove(draft, with: [])
            return true
        }
    }

    /// Takes a draft away with all that is its own. To be called while holding its turn.
    func remove(_ draft: Draft, with changes: [StorageChange]) async throws {
        let accountID = draft.accountID
        let others = try await others(than: draft)
        let reading: [DataType] = store.sharing == nil ? [] : [.documents(Draft.collection)]
        try await store.commitNamed(in: accountID, reading: reading) {
            // Another kernel may have removed it, too.
            if !reading.isEmpty, try await self.saved(draft.id, in: accountID) == nil, draft.version > 0 {
                return []
            }
            return try await changes + self.gone(draft.emailID, in: accountID) + [
                .destroyDocument(draft.key), .destroyDocument(ServerCopy.key(draft.id.rawValue, accountID)),
            ]
        }
        if let emailID = draft.emailID {
            await blobs.removeNowOrLater(BlobID(email: emailID).id, in: accountID)
        }
        let files = DraftFiles(store: store, blobs: blobs)
        await files.forget(draft.content, besides: others, in: accountID)
        await accounts.changed(accountID)
    }

    /// What destroys an email, and tells the service to.
    func gone(_ emailID: Id<Email>?, in accountID: Id<Account>) async throws -> [StorageChange] {
        guard let emailID else { return [] }
        return try await EmailDestruction(store: store, accountID: accountID, clock: clock)
            .changes(of: [emailID], named: ids.next("P"))
    }

    // MARK: Work that follows

    /// Shows a draft in Drafts and fetches its missing attachments, in the background, one draft at a time.
    func follow(_ draft: Draft) { follow(draft.id, draft.accountID) }

    private func follow(_ id: Id<Draft>, _ accountID: Id<Account>) {
        guard !isStopping else { return }
        guard tasks[id] == nil else {
            again.insert(id)
            return
        }
        tasks[id] = Task { [weak self] in
            await self?.work(id, accountID)
        }
    }

    /// What the store had trouble with is done when it may be over.
    private func followLater(_ id: Id<Draft>, _ accountID: Id<Account>) {
        retries[id]?.cancel()
        retries[id] = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: RetrySchedule.store.longest)) != nil else { return }
            await self?.follow(id, accountID)
        }
    }

    private func work(_ id: Id<Draft>, _ accountID: Id<Account>) async {
        let keeping = DraftKeeping(drafts: self)
        repeat {
            again.remove(id)
            do {
                try await keeping.show(id, in: accountID)
                try await keeping.fetchFiles(of: id, in: accountID)
            } catch {
                // Canceled work continues at the next start; the store reports it with its own error.
                guard !Task.isCancelled else { break }
                log.write(.warning, "mailkernel", "A draft could not be shown in Drafts. \(error.logged)")
                if error is StorageError { followLater(id, accountID) }
            }
        } while again.contains(id) && !Task.isCancelled
        tasks[id] = nil
    }

    func shown(_ id: Id<Draft>) { lastShown[id] = clock.now }

    func fetchRound(of id: Id<Draft>) -> Int { fetchRounds[id] ?? 0 }

    /// From here on, an earlier fetch that fails says nothing. To be called while holding the draft's turn.
    func beginFetchRound(of id: Id<Draft>) { fetchRounds[id, default: 0] += 1 }

    /// Waits, unless `settle` is waiting for all pending work.
    package func pause(until date: Date) async throws {
        guard settling == 0 else { return }
        let pause = Task { [clock] in try await clock.sleep(until: date) }
        let id = UUID()
        pauses[id] = pause
        defer { pauses[id] = nil }
        await withTaskCancellationHandler {
            _ = await pause.result
        } onCancel: {
            pause.cancel()
        }
        try Task.checkCancellation()
    }

    /// Has a draft's new version uploaded to the service, at most once a minute.
    func wakeSync(_ id: Id<Draft>, _ accountID: Id<Account>) async {
        // Every sync round finds pending uploads; this only starts one sooner.
        let copy: ServerCopy?
        do {
            copy = try await copies.load(id.rawValue, accountID)
        } catch {
            // When it is due cannot be known now; the round looks itself.
            await accounts.changed(accountID)
            return
        }
        guard let copy, copy.pushed != copy.emailID else { return }
        guard let next = copy.nextPushAt, next > clock.now else {
            await accounts.changed(accountID)
            return
        }
        wakers[accountID]?.cancel()
        wakers[accountID] = Task { [clock, accounts] in
            guard (try? await clock.sleep(until: next)) != nil else { return }
            await accounts.changed(accountID)
        }
    }

    /// Returns once all pending work is done.
    package func settle() async {
        settling += 1
        defer { settling -= 1 }
        for pause in pauses.values { pause.cancel() }
        while let task = tasks.values.first { await task.value }
    }

    private func emailsChanged(_ accountID: Id<Account>) async {
        guard store.looksAfter(accountID) else { return }
        do {
            try await DraftConflicts(drafts: self).look(in: accountID)
        } catch {
            guard !Task.isCancelled else { return }
            log.write(
                .warning, "mailkernel", "Drafts could not be compared with the service's. \(error.logged)")
        }
    }
}
