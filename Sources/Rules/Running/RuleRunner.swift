import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store

/// Runs the rules of accounts on arriving mail: once per message, before it is announced.
///
///     sync commits a message with its `Arrival` ──▶ its rules decide
///         ──▶ one commit: their effects, what they send, the end of the arrival ──▶ the delivery is announced
package actor RuleRunner {
    /// Messages for one commit.
    private static let portion = 50
    private static let pause = 60.0

    private let store: MailStore
    private let mail: MailActions
    private let actions: Actions
    private let mailer: AutomaticMailer
    private let ids: IDMaker
    private let clock: any HostClock
    private let log: LogOutput
    private var listening: Task<Void, Never>?
    private var retries: [Id<Account>: Task<Void, Never>] = [:]
    private var running: Set<Id<Account>> = []
    private var again: Set<Id<Account>> = []
    private var loaded: [Id<Account>: (text: String, script: LoadedScript)] = [:]

    init(
        store: MailStore, mail: MailActions, actions: Actions, mailer: AutomaticMailer, ids: IDMaker,
        clock: any HostClock, log: LogOutput
    ) {
        (self.store, self.mail, self.actions, self.mailer) = (store, mail, actions, mailer)
        (self.ids, self.clock, self.log) = (ids, clock, log)
    }

    func start() {
        guard listening == nil else { return }
        let news = store.news.listen()
        listening = Task {
            // What arrived before the program ended.
            for account in (try? await store.read.accounts()) ?? [] { await run(account.id) }
            for await states in news {
                for key in states.keys where key.type == Arrival.dataType {
                    if let accountID = key.accountID { await run(accountID) }
                }
            }
        }
    }

    func stop() async {
        for task in retries.values { task.cancel() }
        listening?.cancel()
        await listening?.value
        await mailer.stop()
    }

    /// Runs the rules on everything that waits for them in an account.
    func run(_ accountID: Id<Account>) async {
        guard store.looksAfter(accountID) else { return }
        guard running.insert(accountID).inserted else {
            again.insert(accountID)
            return
        }
        defer { running.remove(accountID) }
        repeat {
            again.remove(accountID)
            var hasRun = false
            do {
                while try await runPortion(of: accountID) { hasRun = true }
                if hasRun { try await store.tellDelivery(in: accountID) }
            } catch {
                if error is CancellationError || error.isLostLease { return }
                let reason = (error as? StorageError)?.sentence ?? "\(error)"
                log.write(.warning, "mailkernel", "The rules of an account could not run. \(reason)")
                runLater(accountID)
            }
            await mailer.run(accountID)
        } while again.contains(accountID) && !Task.isCancelled
    }

    private func runLater(_ accountID: Id<Account>) {
        retries[accountID]?.cancel()
        retries[accountID] = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: Self.pause)) != nil else { return }
            await self?.run(accountID)
        }
    }

    /// Returns whether there was something to do.
    private func runPortion(of accountID: Id<Account>) async throws -> Bool {
        var uncreatable: [String: String] = [:]
        while true {
            try Task.checkCancellation()
            // Of several kernels, two may believe for a moment that they look after the account.
            let types: [DataType] = store.sharing == nil ? [.email] : [.email, Arrival.dataType]
            var unchanged: [ChangeSet.Precondition] = []
            for type in types {
                let state = try await store.read.state(of: type, in: accountID)
                unchanged.append(.init(type, in: accountID, is: state))
            }
            let waiting = try await Arrival.waiting(in: accountID, limit: Self.portion, store)
            guard !waiting.isEmpty else { return false }
            let (decision, count) = try await decide(waiting, uncreatable, in: accountID)
            let maker = MailboxMaker(store: store, mail: mail)
            for path in Set(decision.missing) {
                uncreatable[path] = try await maker.reasonNotToMake(path, in: accountID)
            }
            guard decision.missing.isEmpty else { continue }
            do {
                try await commit(decision, count, ending: waiting, in: accountID, ifIn: unchanged)
                return true
            } catch StorageError.stateMismatch {
                // Mail arrived, or the user changed some.
            } catch StorageError.notFound {
                // The same, for a message that is gone.
            }
        }
    }

    private func commit(
        _ decision: Decision, _ count: AutomaticCount, ending waiting: [Arrival], in accountID: Id<Account>,
        ifIn unchanged: [ChangeSet.Precondition]
    ) async throws {
        let known = try await RuleProblem.all(in: accountID, store)
        let now = clock.now
        _ = try await actions.apply(decision.effects, in: accountID, ifIn: unchanged) { refusals in
            let refused = refusals.map {
                RuleProblem(rule: $0.effect.rule, sentence: $0.reason, at: now, count: 1)
            }
            var changes = waiting.map(\.isOver) + decision.marks
            changes += try decision.mails.map { try $0.change(in: accountID) }
            changes += try decision.notices.map { try $0.change(in: accountID) }
            if !decision.mails.isEmpty { changes.append(try count.change(in: accountID)) }
            return try changes
                + RuleProblem.changes(decision.problems + refused, besides: known, in: accountID)
        }
    }

    private func decide(
        _ waiting: [Arrival], _ uncreatable: [String: String], in accountID: Id<Account>
    ) async throws -> (Decision, AutomaticCount) {
        var decision = Decision()
        var count = try await AutomaticCount.load(at: clock.now, in: accountID, store)
        guard let account = try await store.account(accountID),
            let script = try await script(of: accountID)
        else { return (decision, count) }
        var scene = try await DecisionScene(
            account, script, uncreatable: uncreatable, ids: ids, clock: clock, mail: mail, store: store,
            service: try await ServiceRules.load(accountID, from: store))
        let emails = try await store.read.emails(waiting.map(\.emailID), in: accountID).map(\.email)
        let inbox = scene.paths.first(.inbox)?.id
        // A message that was moved meanwhile has found its place.
        for email in emails.sorted(by: { ($0.receivedAt, $0.id) < ($1.receivedAt, $1.id) })
        where inbox.map(email.mailboxIDs.contains) ?? false {
            guard let body = try await store.read.body(of: email.id, in: accountID) else { continue }
            var message = MessageDecision(scene, email, body)
            do {
                try await message.decide()
                for mail in message.mails { try count.take(mail.rule) }
                decision.add(message, at: scene.now)
                scene.seen.formUnion(message.duplicates)
                scene.replied.formUnion(message.replied)
            } catch let failure as RuleFailure {
                decision.add(failure, at: scene.now)
            }
        }
        return (decision, count)
    }

    /// The active script; nil if there is none, or if it can no longer be read, which is a problem of the script.
    private func script(of accountID: Id<Account>) async throws -> LoadedScript? {
        let scripts = UserScripts(store: store, ids: ids, clock: clock)
        guard let active = try await scripts.active(in: accountID) else { return nil }
        if let known = loaded[accountID], known.text == active.text { return known.script }
        do {
            let script = try LoadedScript(active.text, named: active.name)
            loaded[accountID] = (active.text, script)
            return script
        } catch {
            let problem = RuleProblem(rule: active.name, sentence: "\(error)", at: clock.now, count: 1)
            let known = try await RuleProblem.all(in: accountID, store)
            try await store.commit(try RuleProblem.changes([problem], besides: known, in: accountID))
            return nil
        }
    }
}

extension Decision {
    fileprivate mutating func add(_ message: MessageDecision, at now: Date) {
        if let effect = message.effect { effects.append(effect) }
        mails += message.mails
        if let notice = message.notice { notices.append(notice) }
        marks += message.marks
        missing += message.missing
        if let failure = message.leftOut { add(failure, at: now) }
    }

    fileprivate mutating func add(_ failure: RuleFailure, at now: Date) {
        problems.append(RuleProblem(rule: failure.rule, sentence: failure.sentence, at: now, count: 1))
    }
}
