import Mail
import MailKernelAPI
import Store

/// Applies rules to mail that is already there. Nothing is sent: forwarding and replies are for new mail.
package struct PastMail: Sendable {
    private static let portion = 50

    /// Which messages are looked at; all others stay as they are.
    package enum Reach: Sendable {
        /// Those that are still in the inbox.
        case inbox
        /// Received ones, unless they were thrown away.
        case everywhere
    }

    package struct Result: Sendable {
        package var actions: [MailAction] = []
        package var changed = 0
        /// Why messages were left as they are.
        package var problems: [String] = []
        /// Why it stopped before the last message. What is done by then is in the result.
        package var failure: (any Error)?
    }

    let store: MailStore
    let mail: MailActions
    let actions: Actions
    let ids: IDMaker
    let clock: any HostClock

    /// - Parameters:
    ///   - text: a script.
    package func apply(
        _ text: String, to emailIDs: [Id<Email>], _ reach: Reach, in accountID: Id<Account>
    ) async throws -> Result {
        try UserScripts.check(text)
        let script = try LoadedScript(text, named: "Rules")
        guard let account = try await store.account(accountID) else {
            throw StorageError.notFound("the account")
        }
        var result = Result()
        for some in emailIDs.prefix(Rehearsal.mostApplied).slices(of: Self.portion) {
            do {
                try await apply(script, to: Array(some), reach, of: account, &result)
            } catch {
                // The actions that were recorded can still be undone, so the caller has to get them.
                guard !result.actions.isEmpty else { throw error }
                result.failure = error
                break
            }
        }
        return result
    }

    private func apply(
        _ script: LoadedScript, to emailIDs: [Id<Email>], _ reach: Reach, of account: Account,
        _ result: inout Result
    ) async throws {
        var uncreatable: [String: String] = [:]
        while true {
            try Task.checkCancellation()
            let state = try await store.read.state(of: .email, in: account.id)
            let scene = try await DecisionScene(
                account, script, uncreatable: uncreatable, ids: ids, clock: clock, mail: mail, store: store)
            try scene.checkSearches()
            let (effects, missing, problems) = try await decide(emailIDs, reach, scene)
            let maker = MailboxMaker(store: store, mail: mail)
            for path in Set(missing) {
                uncreatable[path] = try await maker.reasonNotToMake(path, in: account.id)
            }
            guard missing.isEmpty else { continue }
            do {
                let done = try await actions.apply(
                    effects, in: account.id, ifIn: [.init(.email, in: account.id, is: state)]
                ) { _ in [] }
                result.actions += done
                result.changed += done.reduce(0) { $0 + $1.changed }
                for problem in problems where !result.problems.contains(problem) {
                    result.problems.append(problem)
                }
                return
            } catch StorageError.stateMismatch {
                // Mail arrived, or the user changed some.
            }
        }
    }

    private func decide(
        _ emailIDs: [Id<Email>], _ reach: Reach, _ scene: DecisionScene
    ) async throws -> (effects: [RuleEffect], missing: [String], problems: [String]) {
        var (effects, missing, problems): ([RuleEffect], [String], [String]) = ([], [], [])
        let emails = try await store.read.emails(emailIDs, in: scene.account.id).map(\.email)
        for email in emails.filter(reach.test(scene.paths)) {
            guard let body = try await store.read.body(of: email.id, in: scene.account.id) else { continue }
            var message = MessageDecision(scene, email, body)
            do {
                try await message.decide()
                if let effect = message.effect { effects.append(effect) }
                missing += message.missing
                if let failure = message.leftOut { problems.append(failure.sentence) }
            } catch let failure as RuleFailure {
                problems.append(failure.sentence)
            }
        }
        return (effects, missing, problems)
    }
}

extension PastMail.Reach {
    /// Whether it looks at a message of an account with these mailboxes.
    func test(_ paths: MailboxPaths) -> @Sendable (Email) -> Bool {
        switch self {
        case .inbox:
            guard let inbox = paths.first(.inbox)?.id else { return { _ in false } }
            return { $0.mailboxIDs.contains(inbox) }
        case .everywhere:
            let roles: [Mailbox.Role] = [.trash, .junk, .sent, .drafts]
            let apart = Set(roles.compactMap { paths.first($0)?.id })
            return { $0.mailboxIDs.isDisjoint(with: apart) }
        }
    }
}
