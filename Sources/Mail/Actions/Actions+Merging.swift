import MailKernelAPI
import Store

/// Actions that were done on a copy of the store, while its server did not respond.
extension Actions {
    /// Does what an action did on the copy, with the emails that are still here.
    ///
    /// - Parameters:
    ///   - document: its record in the copy.
    ///   - before: the record when the server stopped responding; nil if the action is newer.
    ///   - destroyed: emails that the copy has no longer.
    package func merge(
        _ document: Document, before: JSONValue?, destroyed: [Id<Email>], from copy: MailStore
    ) async throws {
        guard let action = document.read(as: MailAction.self) else { return }
        let isUndone = action.state == .undone || action.state == .undoing
        if before != nil {
            let here = try await self.action(action.id, in: action.accountID)
            if isUndone, here?.mayBeUndone == true { _ = try await undo(action.id, in: action.accountID) }
            return
        }
        guard !isUndone else { return }
        let steps = try await steps(of: action, in: copy)
        let ids = action.verb == .destroy ? destroyed : steps.emails
        let here = Set(try await store.read.emails(ids, in: action.accountID).map(\.email.id))
        if action.verb == .update {
            try await update(
                steps.updates.filter { here.contains($0.id) }, in: action.accountID, client: action.client)
        } else if !here.isEmpty {
            _ = try await perform(
                action.verb, on: .emails(ids.filter(here.contains)), in: action.accountID,
                client: action.client)
        }
    }

    private func steps(
        of action: MailAction, in copy: MailStore
    ) async throws -> (updates: [EmailUpdate], emails: [Id<Email>]) {
        var updates: [EmailUpdate] = []
        var emails: [Id<Email>] = []
        var number = -1
        while let step = try await ActionStep.next(of: action, after: number, copy) {
            number = step.number
            emails += (step.snoozes ?? []).map(\.emailID)
            emails += (step.reminders ?? []).compactMap { ($0.after ?? $0.before)?.emailID }
            switch step.work {
            case .done(let done):
                updates += done
                emails += done.map(\.id)
            case .planned(let target):
                switch target.units {
                case .emails(let ids): emails += ids
                case .threads(let ids):
                    emails += try await copy.read.threads(ids, in: action.accountID).flatMap(\.emailIDs)
                }
            }
        }
        var seen: Set<Id<Email>> = []
        return (updates, emails.filter { seen.insert($0).inserted })
    }
}
