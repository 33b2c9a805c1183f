import MailKernelAPI

/// Does and undoes the steps of an action.
extension Actions {
    /// The first step after the one with this number that is not done yet.
    func nextPlanned(
        of action: MailAction, after last: Int
    ) async throws(StorageError) -> (ActionStep, StepTarget)? {
        var number = last
        while let step = try await ActionStep.next(of: action, after: number, store) {
            if case .planned(let target) = step.work { return (step, target) }
            number = step.number
        }
        return nil
    }

    /// Does one step with the current mail, in one commit with its record.
    func run(
        _ step: ActionStep, _ target: StepTarget, of action: MailAction, with more: [StorageChange] = []
    ) async throws -> MailAction {
        try await unlessChanged(in: action.accountID) { state in
            var (action, step) = (action, step)
            let plan = try await StepPlan(action.verb, target, in: action.accountID, store, mail)
            action.done += target.count
            action.changed += plan.changed
            action.refused += plan.refused
            action.refusal = action.refusal ?? plan.refusal
            if action.done >= action.total { action.state = .done }
            step.work = .done(plan.updates)
            step.snoozes = plan.snoozes.isEmpty ? nil : plan.snoozes
            step.reminders = plan.reminders.isEmpty ? nil : plan.reminders
            let snoozes = try plan.snoozes.map { try $0.change(in: action.accountID) }
            let reminders = try plan.reminders.map { try $0.change(in: action.accountID) }
            let records = try [action.change(), step.change()] + snoozes + reminders + more
            if action.verb == .destroy {
                try await mail.destroy(plan.doomed, in: action.accountID, ifInState: state, with: records)
            } else {
                try await mail.update(plan.updates, in: action.accountID, ifInState: state, with: records)
            }
            return action
        }
    }

    /// Undoes the changes of one step, in one commit with its record.
    func undoStep(of action: MailAction) async throws -> MailAction {
        guard let (step, isLast) = try await ActionStep.first(of: action, store) else {
            var action = action
            action.state = .undone
            try await store.commit([try action.change()])
            return action
        }
        return try await unlessChanged(in: action.accountID) { state in
            var action = action
            var updates: [EmailUpdate] = []
            var documents: [StorageChange] = []
            if case .done(let done) = step.work {
                let way = try await WayBack(done, step, in: action.accountID, store)
                updates = way.updates
                documents = try way.snoozes.map { try $0.change(in: action.accountID) }
                documents += try way.reminders.map { try $0.change(in: action.accountID) }
                action.kept += way.kept
            }
            if isLast { action.state = .undone }
            try await mail.update(
                updates, in: action.accountID, ifInState: state,
                with: [try action.change(), .destroyDocument(step.key)] + documents)
            return action
        }
    }

    /// Repeats an attempt with the current emails until they do not change in the meantime.
    private func unlessChanged(
        in accountID: Id<Account>, _ work: (State) async throws -> MailAction
    ) async throws -> MailAction {
        while true {
            try Task.checkCancellation()
            let state = try await store.read.state(of: .email, in: accountID)
            do {
                return try await work(state)
            } catch StorageError.stateMismatch(.email, _) {
                // Mail arrived, or another client changed some.
            }
        }
    }
}
