import MailKernelAPI
import Store

/// What rules do, recorded like everything that a user does, with the name of the rule.
extension Actions {
    /// A refused effect, and why.
    package typealias Refusal = (effect: RuleEffect, reason: String)

    /// Does what rules decided, in one commit with `more`: all or nothing.
    ///
    /// - Parameters:
    ///   - unchanged: fails unless this is so.
    ///   - more: given what mailboxes did not allow, which leaves those messages as they are.
    package func apply(
        _ effects: [RuleEffect], in accountID: Id<Account>, ifIn unchanged: [ChangeSet.Precondition],
        with more: @Sendable ([Refusal]) throws -> [StorageChange]
    ) async throws -> [MailAction] {
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let places = Places(
            mailboxes: Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first },
            hasLabels: try await mail.features(of: accountID).contains(.labels))
        let rights = MailRights(places.mailboxes, beingSent: [])
        var groups: [(verb: MailVerb, rule: String, updates: [EmailUpdate])] = []
        var refusals: [Refusal] = []
        for effect in effects {
            do throws(ActionProblem) {
                let (verb, update) = try effect.change(places, rights)
                guard !update.isEmpty else { continue }
                if let index = groups.firstIndex(where: { $0.verb == verb && $0.rule == effect.rule }) {
                    groups[index].updates.append(update)
                } else {
                    groups.append((verb, effect.rule, [update]))
                }
            } catch {
                refusals.append((effect, error.sentence))
            }
        }
        let actions = groups.map {
            finished($0.verb, $0.updates.count, in: accountID, client: MailAction.client(ofRule: $0.rule))
        }
        var records = try more(refusals)
        for (action, group) in zip(actions, groups) {
            let step = ActionStep(
                actionID: action.id, accountID: accountID, number: 0, work: .done(group.updates))
            records += [try action.change(), try step.change()]
        }
        try await mail.update(groups.flatMap(\.updates), in: accountID, ifIn: unchanged, with: records)
        return actions
    }
}

extension MailAction {
    /// The name of a rule as a client.
    package static func client(ofRule name: String) -> String { "Rule “\(name)”" }
}
