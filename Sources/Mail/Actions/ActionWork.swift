import MailKernelAPI

/// A step, and what it changes in the mail as it was when this was planned.
private struct StepAhead: Sendable {
    enum Work: Sendable {
        case plan(StepPlan, StepTarget)
        /// Nil for a step that was not done.
        case way(WayBack?, isLast: Bool)
    }

    let step: ActionStep
    let work: Work
}

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
            let plan = try await StepPlan(action.verb, target, in: action.accountID, store, mail)
            return try await keep(plan, target, step, of: action, ifInState: state, with: more).0
        }
    }

    /// Does or undoes the steps that are left. While one is stored, the next is planned: it concerns other messages, so
    /// its plan holds if nothing but this commit has changed mail since.
    func goThroughSteps(of action: MailAction) async throws -> MailAction {
        var action = action
        let phase = action.state
        var (state, next, last) = (State?.none, StepAhead?.none, -1)
        while true {
            try Task.checkCancellation()
            if state == nil || next == nil {
                state = try await store.read.state(of: .email, in: action.accountID)
                next = try await ahead(of: action, after: last)
            }
            guard let now = next else { break }
            let before = action
            do {
                async let following =
                    before.verb == .destroy ? nil : ahead(of: before, after: now.step.number)
                (action, state) = try await keep(now, of: before, ifInState: state)
                last = now.step.number
                next = try await following
            } catch StorageError.stateMismatch(.email, _) {
                // Mail arrived, or another client changed some.
                state = nil
            }
            guard action.state == phase else { return action }
        }
        action.state = phase == .undoing ? .undone : .done
        try await store.commit([try action.change()])
        return action
    }

    private func ahead(of action: MailAction, after last: Int) async throws -> StepAhead? {
        if action.state == .undoing { return try await wayBack(of: action, after: last) }
        guard let (step, target) = try await nextPlanned(of: action, after: last) else { return nil }
        let plan = try await StepPlan(action.verb, target, in: action.accountID, store, mail)
        return StepAhead(step: step, work: .plan(plan, target))
    }

    private func wayBack(of action: MailAction, after last: Int) async throws -> StepAhead? {
        guard let (step, isLast) = try await ActionStep.first(of: action, after: last, store) else {
            return nil
        }
        guard case .done(let done) = step.work else {
            return StepAhead(step: step, work: .way(nil, isLast: isLast))
        }
        let way = try await WayBack(done, step, in: action.accountID, store)
        return StepAhead(step: step, work: .way(way, isLast: isLast))
    }

    /// Stores what a step does or undoes, with its record. Returns the state of the account's emails after it, if it is
    /// known.
    private func keep(
        _ ahead: StepAhead, of action: MailAction, ifInState state: State?, with more: [StorageChange] = []
    ) async throws -> (MailAction, State?) {
        switch ahead.work {
        case .plan(let plan, let target):
            return try await keep(plan, target, ahead.step, of: action, ifInState: state, with: more)
        case .way(let way, let isLast):
            return try await keep(way, isLast: isLast, ahead.step, of: action, ifInState: state)
        }
    }

    private func keep(
        _ plan: StepPlan, _ target: StepTarget, _ step: ActionStep, of action: MailAction,
        ifInState state: State?,
        with more: [StorageChange]
    ) async throws -> (MailAction, State?) {
        var (action, step) = (action, step)
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
        guard action.verb != .destroy else {
            try await mail.destroy(plan.doomed, in: action.accountID, ifInState: state, with: records)
            return (action, nil)
        }
        let after = try await mail.update(
            plan.updates, in: action.accountID, ifInState: state, with: records)
        return (action, after ?? state)
    }

    private func keep(
        _ way: WayBack?, isLast: Bool, _ step: ActionStep, of action: MailAction, ifInState state: State?
    ) async throws -> (MailAction, State?) {
        var action = action
        var documents = [StorageChange.destroyDocument(step.key)]
        if let way {
            documents += try way.snoozes.map { try $0.change(in: action.accountID) }
            documents += try way.reminders.map { try $0.change(in: action.accountID) }
            action.kept += way.kept
        }
        if isLast { action.state = .undone }
        let after = try await mail.update(
            way?.updates ?? [], in: action.accountID, ifInState: state,
            with: [try action.change()] + documents)
        return (action, after ?? state)
    }

    /// Undoes the changes of the first step that is left, in one commit with its record.
    func undoStep(of action: MailAction) async throws -> MailAction {
        try await unlessChanged(in: action.accountID) { state in
            if let ahead = try await wayBack(of: action, after: -1) {
                return try await keep(ahead, of: action, ifInState: state).0
            }
            var action = action
            action.state = .undone
            try await store.commit([try action.change()])
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
