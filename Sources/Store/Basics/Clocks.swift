import FoundationEssentials
import MailKernelAPI

/// A monotonic clock, independent of changes to the system's time.
package protocol SteadyClock: Sendable {
    /// Seconds since some moment.
    var uptime: Double { get }
}

/// The system's clock. It stops while the computer sleeps, so that the remaining delay is kept.
package struct SystemUptime: SteadyClock {
    private let start = SuspendingClock.now

    package init() {}

    package var uptime: Double {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// The wall clock, for tests that control it.
package struct WallUptime: SteadyClock {
    let clock: any HostClock

    package init(clock: any HostClock) {
        self.clock = clock
    }

    package var uptime: Double { clock.now.timeIntervalSinceReferenceDate }
}

/// The system's clock.
package struct WallClock: HostClock {
    /// Longer than the program runs. An infinite time cannot be counted.
    private static let longest = 1e9

    package init() {}

    package var now: Date { Date() }

    package func sleep(for seconds: Double) async throws(CancellationError) {
        let time = seconds.isNaN ? 0 : min(max(0, seconds), Self.longest)
        do {
            try await Task.sleep(for: .seconds(time))
        } catch {
            throw CancellationError()
        }
    }
}
