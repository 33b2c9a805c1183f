import FoundationEssentials
import MailKernelAPI

/// A monotonic clock, independent of changes to the system's time.
public protocol SteadyClock: Sendable {
    /// Seconds since some moment.
    var uptime: Double { get }
}

/// The system's clock. It stops while the computer sleeps, so that the remaining delay is kept.
public struct SystemUptime: SteadyClock {
    private let start = SuspendingClock.now

    public init() {}

    public var uptime: Double {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// The wall clock, for tests that control it.
struct WallUptime: SteadyClock {
    let clock: any HostClock

    var uptime: Double { clock.now.timeIntervalSinceReferenceDate }
}
