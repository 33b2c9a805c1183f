import FoundationEssentials
import MailKernelAPI
import Store

/// Does and undoes actions for the page, keys, notifications and other programs.
///
/// An action is stored before its first step, and each step is one commit together with its record. A large action
/// continues in the background, and after a restart.
package actor Actions {
    let store: MailStore
    let mail: MailActions
    private let ids: IDMaker
    private let clock: any HostClock
    private let log: LogOutput
    private var running: [Id<MailAction>: Task<Void, Never>] = [:]
    private var takingOver: [Id<Account>: Task<Void, Never>] = [:]

    private static let longestStep = 30.0

    package init(store: MailStore, mail: MailActions, ids: IDMaker, clock: any HostClock, log: LogOutput) {
        self.store = store
        self.mail = mail
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    /// Does an action. Its first step is done when this returns; the others follow in the background.
    ///
    /// - Parameter client: the name of the client.
    /// - Throws: `ActionProblem` if the action is impossible.
    package func perform(
        _ verb: MailVerb, on target: ActionTarget, in accountID: Id<Account>, client: String
    ) async throws -> MailAction {
        if let until = verb.until {
            guard until > clock.now else { throw ActionProblem(sentence: "That time has passed.") }
            if verb.concernsSnoozes { try await makeSnoozedMailbox(in: accountID) }
        }
        let targets = try await target.steps(in: accountID, store)
        var action = MailAction(
            id: ids.next("A"), accountID: accountID, verb: verb, client: client, createdAt: clock.now,
            total: targets.reduce(0) { $0 + $1.count })
        let rest = try targets.enumerated().dropFirst().map { number, target in
            try ActionStep(
                actionID: action.id, accountID: accountID, number: number, work: .planned(target)
            ).change()
        }
        guard let first = targets.first else {
            action.state = .done
            return action
        }
        let step = ActionStep(actionID: action.id, accountID: accountID, number: 0, work: .planned(first))
        action = try await run(step, first, of: action, with: rest)
        if action.state == .running { goOn(with: action) }
        return action
    }

    /// Where the service has no mailbox for snoozed mail, and lets us create one.
    private func makeSnoozedMailbox(in accountID: Id<Account>) async throws {
        let features = try await mail.features(of: accountID)
        guard features.contains(.mailboxChanges) else { return }
        while true {
            let state = try await store.read.state(of: .mailbox, in: accountID)
            let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
            guard SnoozedMailbox.among(mailboxes) == nil else { return }
            let isLabel = features.contains(.labels) && !features.contains(.local)
            do {
                _ = try await mail.createMailbox(
                    SnoozedMailbox.make(in: accountID, isLabel: isLabel), ifInState: state)
            } catch StorageError.stateMismatch(.mailbox, _) {
                try Task.checkCancellation()
            }
        }
    }

    /// Makes changes specified by another program, and records them so that they can be undone.
    ///
    /// - Parameter state: the state of the account's emails that `updates` require; nil for any.
    package func update(
        _ updates: [EmailUpdate], in accountID: Id<Account>, client: String, ifInState state: State? = nil
    ) async throws {
        let real = updates.filter { !$0.isEmpty }
        guard !real.isEmpty else { return }
        let action = finished(.update, real.count, in: accountID, client: client)
        let step = ActionStep(actionID: action.id, accountID: accountID, number: 0, work: .done(real))
        try await mail.update(
            real, in: accountID, ifInState: state, with: [try action.change(), try step.change()])
    }

    /// Destroys emails on behalf of another program, and records it.
    package func destroy(_ emailIDs: [Id<Email>], in accountID: Id<Account>, client: String) async throws {
        guard !emailIDs.isEmpty else { return }
        let action = finished(.destroy, emailIDs.count, in: accountID, client: client)
        try await mail.destroy(emailIDs, in: accountID, with: [try action.change()])
    }

    /// Destroys a mailbox, and records how many emails it took along.
    ///
    /// - Parameter evenWithEmails: if false, `MailboxNotEmpty` is thrown if there are any, even if they just arrived.
    package func destroyMailbox(
        _ id: Id<Mailbox>, in accountID: Id<Account>, evenWithEmails: Bool, client: String
    ) async throws {
        let action = finished(.destroy, 0, in: accountID, client: client)
        try await mail.destroyMailbox(id, in: accountID, evenWithEmails: evenWithEmails) { count in
            count == 0 ? [] : [try action.counting(count).change()]
        }
    }

    /// The record of an action that is done in one step.
    func finished(
        _ verb: MailVerb, _ count: Int, in accountID: Id<Account>, client: String
    ) -> MailAction {
        MailAction(
            id: ids.next("A"), accountID: accountID, verb: verb, client: client, createdAt: clock.now,
            total: count
        ).counting(count)
    }

    /// Undoes an action. Messages that were changed again since stay as they are.
    ///
    /// - Throws: `ActionProblem` if the action cannot be undone.
    package func undo(_ id: Id<MailAction>, in accountID: Id<Account>) async throws -> MailAction {
        // The background work would also write the record.
        await end(id)
        guard var action = try await action(id, in: accountID) else {
            throw ActionProblem(sentence: "This action is more than 30 days old and can no longer be undone.")
        }
        guard action.mayBeUndone else { throw ActionProblem(sentence: action.reasonAgainstUndo) }
        action.state = .undoing
        try await store.commit([try action.change()])
        action = try await undoStep(of: action)
        if action.state == .undoing { goOn(with: action) }
        return action
    }

    /// The actions of an account, newest first.
    package func all(in accountID: Id<Account>) async throws(StorageError) -> [MailAction] {
        try await store.allDocuments(in: MailAction.collection, accountID: accountID)
            .compactMap { $0.read(as: MailAction.self) }.reversed()
    }

    package func action(
        _ id: Id<MailAction>, in accountID: Id<Account>
    ) async throws(StorageError) -> MailAction? {
        let key = DocumentKey(MailAction.collection, id.rawValue, accountID: accountID)
        return try await store.read.document(key)?.read(as: MailAction.self)
    }

    // MARK: In the background

    /// Continues the actions that were unfinished when the program stopped, and deletes old ones.
    package func start() async throws(StorageError) {
        // On a shared store, each account's when its turn begins.
        guard store.sharing == nil else { return }
        for account in try await store.read.accounts() {
            for action in try await unfinished(in: account.id) { goOn(with: action) }
        }
    }

    private func unfinished(in accountID: Id<Account>) async throws(StorageError) -> [MailAction] {
        try await all(in: accountID).filter { $0.state == .running || $0.state == .undoing }
    }

    /// Continues the actions of kernels that have gone, which are those that make no progress.
    package func turnBegan(_ accountID: Id<Account>) {
        takingOver[accountID]?.cancel()
        takingOver[accountID] = Task {
            do {
                let before = try await unfinished(in: accountID)
                guard !before.isEmpty else { return }
                try await clock.sleep(for: Self.longestStep)
                for action in try await unfinished(in: accountID)
                where before.contains(action) && running[action.id] == nil && store.looksAfter(accountID) {
                    goOn(with: action)
                }
            } catch let error as StorageError {
                log.write(.warning, "mailkernel", "Actions could not be continued. \(error.sentence)")
            } catch {
                // Stopped: another kernel continues them.
            }
        }
    }

    package func stop() async {
        for task in takingOver.values { task.cancel() }
        let tasks = running.values
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Deletes the actions that can no longer be undone.
    package func removeOld(of accountID: Id<Account>) async throws {
        for action in try await all(in: accountID)
        where clock.now.timeIntervalSince(action.createdAt) > MailAction.lifetime {
            await end(action.id)
            while let step = try await ActionStep.next(of: action, after: -1, store) {
                try await store.commit([.destroyDocument(step.key)])
            }
            try await store.commit([.destroyDocument(action.key)])
        }
    }

    private func goOn(with action: MailAction) {
        running[action.id] = Task {
            do {
                try await finish(action)
            } catch is CancellationError {
                // It continues at the next start.
            } catch {
                let reason =
                    (error as? StorageError)?.sentence ?? (error as? ActionProblem)?.sentence ?? "\(error)"
                log.write(.warning, "mailkernel", "An action could not be finished. \(reason)")
            }
            running[action.id] = nil
        }
    }

    private func finish(_ action: MailAction) async throws {
        var action = action
        while !Task.isCancelled {
            switch action.state {
            case .running, .undoing: action = try await goThroughSteps(of: action)
            case .done, .undone: return
            }
        }
    }

    private func end(_ id: Id<MailAction>) async {
        guard let task = running[id] else { return }
        task.cancel()
        await task.value
    }
}
