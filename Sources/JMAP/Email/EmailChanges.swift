import Kernel
import MailKernelAPI

/// Applies patches to the current state of emails.
struct EmailChanges {
    private let mailboxes: MailboxChoice
    private let account: Account
    private let context: RequestContext

    init(_ mailboxes: MailboxChoice, _ account: Account, _ context: RequestContext) {
        self.mailboxes = mailboxes
        self.account = account
        self.context = context
    }

    /// Applies all valid patches in one commit.
    ///
    /// - Parameter refused: receives the errors of the other patches.
    /// - Returns: the ids of the changed emails.
    func carryOut(
        _ asked: [(id: String, patch: [String: JSONValue])], _ refused: inout [String: SetError]
    ) async throws(SetError) -> [String] {
        let (updates, problems) = try await SetError.again { () async throws(SetError) in
            let (updates, problems, state) = try await self.updates(asked)
            let (actions, client, accountID) = (context.kernel.actions, context.client.name, account.id)
            let condition = needsState(asked) ? state : nil
            try await SetError.wrapping {
                try await actions.update(updates, in: accountID, client: client, ifInState: condition)
            }
            return (updates, problems)
        }
        refused.merge(problems) { $1 }
        return updates.map(\.id.rawValue)
    }

    /// If two clients set all mailboxes or keywords of an email, the result must not be the union of both. Changes of
    /// single mailboxes and keywords can be combined, except in accounts where an email is in one mailbox only.
    private func needsState(_ asked: [(id: String, patch: [String: JSONValue])]) -> Bool {
        asked.contains { _, patch in
            patch["mailboxIds"] != nil || patch["keywords"] != nil
                || mailboxes.limit != nil && patch.keys.contains { $0.hasPrefix("mailboxIds/") }
        }
    }

    private func updates(
        _ asked: [(id: String, patch: [String: JSONValue])]
    ) async throws(SetError) -> (updates: [EmailUpdate], problems: [String: SetError], state: State) {
        let (store, accountID) = (context.store, account.id)
        let ids = asked.map { Id<Email>($0.id) }
        let (state, emails) = try await SetError.wrapping {
            (try await store.state(of: .email, in: accountID), try await store.emails(ids, in: accountID))
        }
        let byID = Dictionary(emails.map { ($0.email.id.rawValue, $0) }) { first, _ in first }
        var updates: [EmailUpdate] = []
        var problems: [String: SetError] = [:]
        for (id, patch) in asked {
            do throws(SetError) {
                guard let email = byID[id] else { throw SetError.notFound }
                updates.append(try await EmailPatch(email, mailboxes, context).update(patch))
            } catch {
                problems[id] = error
            }
        }
        return (updates, problems, state)
    }
}
