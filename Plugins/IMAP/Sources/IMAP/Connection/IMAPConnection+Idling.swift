import FoundationEssentials
import MailKernelAPI

extension IMAPConnection {
    /// Waits for events until `endIdle` is called, the connection is lost or the task is canceled. `report`
    /// gets nil once the server is listening, then every event.
    func idle(
        renewingEvery seconds: Double, _ report: @Sendable (Untagged?) -> Void
    ) async throws(AccountError) {
        try checkIsUsable()
        defer { endsIdle = false }
        var inHaste = 0
        while !endsIdle {
            let begun = clock.now
            let wasEndedByServer = try await idleOnce(renewingAfter: seconds, report)
            let isShort = abs(clock.now.timeIntervalSince(begun)) < Self.shortestWait
            inHaste = isShort && wasEndedByServer ? inHaste + 1 : 0
            // Asked again and again, a server that does not wait would do nothing else.
            if inHaste >= 3, !endsIdle { throw .badAnswer("the server ends IDLE immediately") }
        }
    }

    /// - Returns: whether the server ended it by itself.
    private func idleOnce(
        renewingAfter seconds: Double, _ report: @Sendable (Untagged?) -> Void
    ) async throws(AccountError) -> Bool {
        let tag = session.begin(.idle)
        state = .idling(tag: tag, isDone: false)
        let renewal = startRenewal(after: seconds)
        defer { renewal.cancel() }
        try await flush(nil)
        while true {
            switch try await nextEvent(nil) {
            case .continuation: report(nil)
            case .untagged(let response): report(response)
            case .completed(let completion) where completion.tag == tag:
                let wasDone = state == .idling(tag: tag, isDone: true)
                if isUsable { state = .open }
                guard completion.status.kind == .ok else {
                    throw AccountError(completion.status, command: completion.command)
                }
                return !wasDone
            default: break
            }
        }
    }

    /// Makes `idle` return soon, with the connection as good as before.
    func endIdle() async {
        guard !endsIdle else { return }
        endsIdle = true
        Task { await sayDone() }
    }

    /// Restarts the server's notifications; `idle` continues.
    func renewIdle() {
        Task { await sayDone() }
    }

    /// Ends the idling under way, once, and the connection with it if the server does not answer.
    private func sayDone() async {
        guard case .idling(let tag, isDone: false) = state else { return }
        state = .idling(tag: tag, isDone: true)
        session.send(line: "DONE")
        guard (try? await flush(nil)) != nil, (try? await clock.sleep(for: Self.patience)) != nil,
            state == .idling(tag: tag, isDone: true)
        else { return }
        await giveUp()
    }

    private static let shortestWait: Double = 10

    private func startRenewal(after seconds: Double) -> Task<Void, Never> {
        Task {
            guard (try? await clock.sleep(for: seconds)) != nil else { return }
            await sayDone()
        }
    }
}
