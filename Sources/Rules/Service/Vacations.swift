import FoundationEssentials
import Mail
import MailKernelAPI
import PluginCalls
import Store

/// The vacation replies of all accounts: the service's own where it has one (RFC 8621, section 8), otherwise the first
/// rule.
///
/// The service's reply is not copied: it is read there, changed there, and what was last read is shown while the service
/// cannot be asked. A first rule that was on before the service had a reply goes on until the reply is next changed.
package actor Vacations {
    /// Its state changes with the service's reply.
    package static let dataType = SeenVacation.dataType
    /// Seconds for which a reply that was read is not asked for again.
    static let lifetime = 30.0
    /// Seconds that a reader waits for the service.
    private static let patience = 10.0

    private let store: MailStore
    private let mail: MailActions
    private let scripts: UserScripts
    private let clock: any HostClock
    private var readAt: [Id<Account>: Date] = [:]
    private var reading: [Id<Account>: Task<RemoteVacation, any Error>] = [:]
    /// Counts changes: what was asked for before one is outdated after it.
    private var changes = 0

    init(store: MailStore, mail: MailActions, scripts: UserScripts, clock: any HostClock) {
        (self.store, self.mail, self.scripts, self.clock) = (store, mail, scripts, clock)
    }

    /// - Throws: if the reply is at a service that cannot be asked now and never answered.
    package func reply(in accountID: Id<Account>) async throws -> AccountVacation {
        let rule = try await rule(in: accountID)
        guard !rule.isOn, try await isAtService(accountID) else { return AccountVacation(rule) }
        let seen = try await SeenVacation.load(accountID, from: store)
        if let seen, let at = readAt[accountID], (0..<Self.lifetime).contains(clock.now.timeIntervalSince(at))
        {
            return AccountVacation(seen)
        }
        do {
            return AccountVacation(try await soon(accountID))
        } catch {
            guard let seen else { throw error }
            return AccountVacation(seen)
        }
    }

    /// Changes the reply; at the service if it has one.
    package func change(
        in accountID: Id<Account>, _ change: @escaping @Sendable (inout AccountVacation) throws -> Void
    ) async throws {
        let rule = try await rule(in: accountID)
        guard try await isAtService(accountID) else {
            return try await scripts.setVacation(in: accountID) { rule in
                var reply = AccountVacation(rule)
                try change(&reply)
                rule = reply.rule
            }
        }
        let there = try await read(accountID)
        var reply = AccountVacation(there)
        // What the user sees is the rule that is on here, and it moves to the service.
        if rule.isOn { (reply.rule, reply.html) = (rule, nil) }
        try change(&reply)
        let wanted = try reply.remote()
        guard let session = await mail.session(of: accountID) else { throw AccountError.offline }
        changes += 1
        reading[accountID] = nil
        if wanted != there { try await session.setVacation(wanted) }
        changes += 1
        if rule.isOn { try await scripts.setVacation(in: accountID) { $0.isOn = false } }
        try await note(wanted, in: accountID)
    }

    private func rule(in accountID: Id<Account>) async throws -> VacationRule {
        VacationRule(in: try await scripts.active(in: accountID)?.text ?? "")
    }

    private func isAtService(_ accountID: Id<Account>) async throws -> Bool {
        try await mail.features(of: accountID).contains(.vacation)
    }

    // MARK: At the service

    /// What the service answers within the time that a reader waits. A later answer is noted all the same.
    private func soon(_ accountID: Id<Account>) async throws -> RemoteVacation {
        let answer = await Deadline.run(Self.patience, clock) {
            await Task { try await self.read(accountID) }.result
        }
        guard let answer else { throw AccountError.offline }
        return try answer.get()
    }

    /// Reads at once share one question.
    private func read(_ accountID: Id<Account>) async throws -> RemoteVacation {
        if let task = reading[accountID] { return try await task.value }
        let task = Task {
            let before = changes
            guard let session = await mail.session(of: accountID) else { throw AccountError.offline }
            let found = try await session.vacation()
            if before == changes { try await note(found, in: accountID) }
            return found
        }
        reading[accountID] = task
        defer { if reading[accountID] == task { reading[accountID] = nil } }
        return try await task.value
    }

    private func note(_ reply: RemoteVacation, in accountID: Id<Account>) async throws {
        readAt[accountID] = clock.now
        guard try await SeenVacation.load(accountID, from: store) != reply else { return }
        try await store.commit([try SeenVacation(reply: reply).change(in: accountID)])
    }
}
