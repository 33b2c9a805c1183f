import FoundationEssentials
import MailKernelAPI

/// What a service says about an account besides its mail.
package struct ServiceReport: Sendable, Hashable {
    package var quotas: [AccountQuota]
    /// Where the service offers the account through JMAP as well.
    package var jmapSessionURL: URL?

    package init(quotas: [AccountQuota] = [], jmapSessionURL: URL? = nil) {
        self.quotas = quotas
        self.jmapSessionURL = jmapSessionURL
    }
}

/// Asks services at most once an hour, and only when a client wants to know.
package actor ServiceReports {
    package static let lifetime = 3600.0
    /// After a failure. Clients may ask again whenever a window is opened.
    package static let pause = 300.0

    private struct Known {
        var report: ServiceReport?
        var askedAt: Date
        var isAnswered: Bool

        func isGood(at now: Date) -> Bool {
            // A clock that was set back must not make it last longer.
            (0..<(isAnswered ? ServiceReports.lifetime : ServiceReports.pause))
                .contains(now.timeIntervalSince(askedAt))
        }
    }

    private let clock: any HostClock
    private var known: [Id<Account>: Known] = [:]
    private var inFlight: [Id<Account>: Task<ServiceReport?, Never>] = [:]

    init(clock: any HostClock) { self.clock = clock }

    /// Two requests at once share one question. If the service cannot be asked, its last report stays.
    ///
    /// - Returns: nil if the service never said.
    func report(
        of id: Id<Account>, from session: @escaping @Sendable () async -> (any AccountSession)?
    ) async -> ServiceReport? {
        if let known = known[id], known.isGood(at: clock.now) { return known.report }
        if let asking = inFlight[id] { return await asking.value }
        let asking = Task<ServiceReport?, Never> {
            guard let session = await session() else { return nil }
            return await Self.ask(session)
        }
        inFlight[id] = asking
        let answer = await asking.value
        // Removed, or signed in again, in the meantime.
        guard inFlight[id] == asking else { return answer }
        inFlight[id] = nil
        known[id] = Known(
            report: answer ?? known[id]?.report, askedAt: clock.now, isAnswered: answer != nil)
        return known[id]?.report
    }

    func forget(_ id: Id<Account>) {
        known[id] = nil
        inFlight.removeValue(forKey: id)?.cancel()
    }

    private static func ask(_ session: any AccountSession) async -> ServiceReport? {
        guard let quotas = try? await session.quotas() else { return nil }
        return ServiceReport(quotas: quotas, jmapSessionURL: try? await session.jmapSessionURL())
    }
}

extension Accounts {
    /// What the account's service says about its limits; nil if it cannot be asked and never said.
    package nonisolated func report(of id: Id<Account>) async -> ServiceReport? {
        await reports.report(of: id) { [weak self] in await self?.session(id) }
    }
}
