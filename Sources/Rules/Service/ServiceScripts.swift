import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Keeps the script of this program at the services of accounts whose rules are to run there.
///
/// It always reads what is there, does one step towards what is wanted, and reads again. A step that changes something is
/// recorded before it is sent. So it does not matter where the program is killed, or which answers are lost. Which messages
/// get their rules here does not depend on it either: see `ServiceMark`.
package actor ServiceScripts {
    /// Between two looks at a service, in seconds.
    static let interval = 900.0
    static let firstPause = 60.0
    private static let mostSteps = 12
    /// Seconds for the service of an account that is removed.
    private static let patience = 5.0

    /// The user changed what is wanted while a step was prepared.
    private struct Changed: Error {}

    /// The service answers as if all was done, and it is not.
    private struct Unsettled: Error, CustomStringConvertible {
        let description = "The service confirms changes to its scripts but does not make them."
    }

    let store: MailStore
    let mail: MailActions
    private let scripts: UserScripts
    let clock: any HostClock
    private let log: LogOutput
    private var tasks: [Task<Void, Never>] = []
    var rounds: Task<Void, Never>?
    var isRoundWanted = false
    var runs: [Id<Account>: Task<Void, Never>] = [:]
    private var again: Set<Id<Account>> = []
    var tried: [Id<Account>: Date] = [:]
    /// What the user wanted when it was last looked at.
    var wishes: [Id<Account>: ServiceRules.Wish] = [:]

    init(store: MailStore, mail: MailActions, scripts: UserScripts, clock: any HostClock, log: LogOutput) {
        (self.store, self.mail, self.scripts, self.clock, self.log) = (store, mail, scripts, clock, log)
    }

    func start() {
        guard tasks.isEmpty else { return }
        let news = store.news.listen()
        let types: Set<DataType> = [UserScripts.dataType, .identity, ServiceRules.dataType]
        tasks = [
            Task { [weak self] in
                for await states in news {
                    for key in states.keys where types.contains(key.type) {
                        if let accountID = key.accountID { await self?.heard(key.type, in: accountID) }
                    }
                }
            }
        ]
        watch()
    }

    func stop() async {
        let all = tasks + [rounds].compactMap(\.self)
        for task in all { task.cancel() }
        for task in all { await task.value }
        for run in runs.values { run.cancel() }
        for run in runs.values { await run.value }
    }

    // MARK: What the user does

    package func state(in accountID: Id<Account>) async throws(StorageError) -> ServiceRules {
        try await ServiceRules.load(accountID, from: store)
    }

    /// Rules are to run at the service, or no longer.
    package func setWanted(_ isWanted: Bool, in accountID: Id<Account>) async throws {
        try await update(accountID) { state in
            guard state.isWanted != isWanted else { return }
            state.isWanted = isWanted
            state.consent = ServiceRules.Consent()
            state.failure = nil
            state.found?.question = nil
        }
    }

    /// The user agrees to what was asked.
    ///
    /// - Returns: whether this is still the question.
    package func agree(
        to question: ServiceRules.Found.Question, in accountID: Id<Account>
    ) async throws -> Bool {
        let state = try await update(accountID) { state in
            guard state.isWanted, state.found?.question == question else { return }
            switch question {
            case .replace(let digest): state.consent.replaces = digest
            case .displace(let name): state.consent.displaces = name
            }
        }
        return switch question {
        case .replace(let digest): state.consent.replaces == digest
        case .displace(let name): state.consent.displaces == name
        }
    }

    /// The text of a script at the service.
    package func text(of name: String, in accountID: Id<Account>) async throws -> String {
        guard let session = await mail.session(of: accountID) else { throw AccountError.offline }
        return try await session.script(named: name)
    }

    /// The account is being removed: its rules must not go on at the service.
    ///
    /// - Returns: what to do if the account stays after all; nil if there is nothing to do.
    package func leave(_ accountID: Id<Account>) async -> (@Sendable () async -> Void)? {
        guard let state = try? await ServiceRules.load(accountID, from: store), state.isBusy else {
            return nil
        }
        do {
            try await setWanted(false, in: accountID)
        } catch {
            log.write(
                .warning, "mailkernel", "Rules at a service could not be turned off. \(Self.sentence(error))")
        }
        let work = Task { await settle(accountID) }
        let limit = Task { [clock] in
            if (try? await clock.sleep(for: Self.patience)) != nil { work.cancel() }
        }
        await work.value
        limit.cancel()
        await tellIfLeft(accountID)
        guard state.isWanted else { return nil }
        return { [self] in await stay(accountID, as: state) }
    }

    /// The account could not be removed: its rules are to run at the service again.
    private func stay(_ accountID: Id<Account>, as before: ServiceRules) async {
        do {
            guard try await store.account(accountID) != nil else { return }
            try await update(accountID) { state in
                state.isWanted = true
                // The user has agreed to this before.
                state.consent.displaces = before.previous
            }
            try await Notices(store: store).forget(Self.noticeID(accountID))
        } catch {
            log.write(
                .warning, "mailkernel",
                "Rules at a service were turned off and could not be turned on again. \(Self.sentence(error))"
            )
        }
    }

    private static func noticeID(_ accountID: Id<Account>) -> String { "service-rules-\(accountID)" }

    private func tellIfLeft(_ accountID: Id<Account>) async {
        do {
            guard try await ServiceRules.load(accountID, from: store).mayBeThere else { return }
            let address = try await store.account(accountID)?.address ?? "the account"
            // It outlives the account.
            let notice = Notice(
                accountID: Id("removed"),
                text: "Rules may still run at the service of \(address): it did not confirm that the script "
                    + "“\(ServiceRules.scriptName)” was turned off. Turn it off in the settings of the service.",
                at: clock.now)
            try await store.commit([notice.change(id: Self.noticeID(accountID))])
        } catch {
            log.write(.warning, "mailkernel", "A notice could not be kept. \(Self.sentence(error))")
        }
    }

    // MARK: Step by step

    /// Brings the service to what is wanted, and looks at what is there. Returns once that is done, or has failed.
    package func settle(_ accountID: Id<Account>) async {
        guard let run = begin(accountID) else { return }
        await withTaskCancellationHandler {
            await run.value
        } onCancel: {
            run.cancel()
        }
    }

    /// Each account has a task of its own: a service that does not answer holds up no other.
    ///
    /// - Parameter onlyWithSession: do nothing for an account that has just begun and has no session yet.
    @discardableResult
    func begin(_ accountID: Id<Account>, onlyWithSession: Bool = false) -> Task<Void, Never>? {
        guard store.looksAfter(accountID) else { return nil }
        if let current = runs[accountID] {
            again.insert(accountID)
            return current
        }
        let run = Task {
            if onlyWithSession, await mail.session(of: accountID) == nil, !again.contains(accountID) {
                runs[accountID] = nil
            } else {
                await self.run(accountID)
            }
        }
        runs[accountID] = run
        return run
    }

    private func run(_ accountID: Id<Account>) async {
        defer { runs[accountID] = nil }
        repeat {
            again.remove(accountID)
            tried[accountID] = clock.now
            do {
                try await settleByStep(accountID)
            } catch is Changed {
                again.insert(accountID)
            } catch {
                if error is CancellationError || error.isLostLease || Task.isCancelled { return }
                await note(error, in: accountID)
            }
        } while again.contains(accountID) && !Task.isCancelled
    }

    private func settleByStep(_ accountID: Id<Account>) async throws {
        for _ in 0..<Self.mostSteps where try await isSettled(accountID) { return }
        throw Unsettled()
    }

    /// Does one step. Returns whether there are no more.
    private func isSettled(_ accountID: Id<Account>) async throws -> Bool {
        try Task.checkCancellation()
        guard let session = await mail.session(of: accountID) else { throw AccountError.offline }
        let look = try await ServiceLook(accountID, session, store: store, mail: mail, scripts: scripts)
        let state = try await ServiceRules.load(accountID, from: store)
        wishes[accountID] = state.wish
        let isWanted = state.isWanted && look.obstacle == nil && !look.plan.served.isEmpty
        let step = ServiceStep.next(state, look.view, look.plan, isWanted: isWanted)
        switch step {
        case .settled:
            try await finish(look, nil, like: state, in: accountID)
            return true
        case .ask(let question):
            try await finish(look, question, like: state, in: accountID)
            return true
        case .put(let mark):
            guard let text = look.plan.text(mark) else { return true }
            let now = clock.now
            try await note(in: accountID, like: state) { $0.note(text, mark, look.plan.served, at: now) }
            try await session.putScript(
                text.replacing("\n", with: "\r\n"), named: ServiceRules.scriptName)
        case .activate(let active):
            try await note(in: accountID, like: state) { if let active { $0.previous = active } }
            try await session.activateScript(named: ServiceRules.scriptName)
        case .restore(let name): try await session.activateScript(named: name)
        case .delete: try await session.deleteScript(named: ServiceRules.scriptName)
        }
        return false
    }

    /// A check has succeeded.
    private func finish(
        _ look: ServiceLook, _ question: ServiceRules.Found.Question?, like seen: ServiceRules,
        in accountID: Id<Account>
    ) async throws {
        let now = clock.now
        let isConsentUsed = question == nil
        wishes[accountID] = ServiceRules.Wish(
            isWanted: seen.isWanted, consent: isConsentUsed ? ServiceRules.Consent() : seen.consent)
        try await note(in: accountID, like: seen) { state in
            let isOurs = look.view.ours.map(state.isOurs) ?? false
            if let text = look.view.ours, !isOurs { state.noteForeign(text) }
            if !isOurs { state.noteGone() }
            if isConsentUsed { state.consent = ServiceRules.Consent() }
            state.failure = nil
            state.found = look.found(at: now, isOurs: isOurs, question)
        }
    }

    private func note(_ error: any Error, in accountID: Id<Account>) async {
        let (sentence, now) = (Self.sentence(error), clock.now)
        log.write(.info, "mailkernel", "Rules at a service could not be checked. \(sentence)")
        _ = try? await update(accountID) { state in
            let old = state.failure
            state.failure = ServiceRules.Failure(
                since: old?.since ?? now, sentence: sentence, count: (old?.count ?? 0) + 1)
        }
    }

    private static func sentence(_ error: any Error) -> String {
        (error as? AccountError)?.sentence ?? (error as? StorageError)?.sentence ?? "\(error)"
    }

    /// Records something, unless the user wants something else by now.
    private func note(
        in accountID: Id<Account>, like seen: ServiceRules, _ body: (inout ServiceRules) -> Void
    ) async throws {
        try await update(accountID) { state in
            guard state.wish == seen.wish else { throw Changed() }
            body(&state)
        }
    }

    @discardableResult
    private func update(
        _ accountID: Id<Account>, _ body: (inout ServiceRules) throws -> Void
    ) async throws -> ServiceRules {
        while true {
            try Task.checkCancellation()
            let before = try await store.read.state(of: ServiceRules.dataType, in: accountID)
            let old = try await ServiceRules.load(accountID, from: store)
            var new = old
            try body(&new)
            guard new != old else { return new }
            do {
                try await store.commit(
                    [try new.change(in: accountID)],
                    preconditions: [.init(ServiceRules.dataType, in: accountID, is: before)])
                return new
            } catch StorageError.stateMismatch {
                // Another program changed it.
            }
        }
    }
}
