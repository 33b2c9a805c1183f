import FoundationEssentials
import MailKernelAPI

/// A clock that only goes forward, whatever happens to the one on the wall.
public protocol SteadyClock: Sendable {
    /// Seconds since some moment.
    var uptime: Double { get }
}

/// The system's. It stands still while the computer sleeps: whoever wakes it has the rest of their time.
public struct SystemUptime: SteadyClock {
    private let start = SuspendingClock.now

    public init() {}

    public var uptime: Double {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// The clock on the wall, for those who set it themselves.
struct WallUptime: SteadyClock {
    let clock: any HostClock

    var uptime: Double { clock.now.timeIntervalSinceReferenceDate }
}
