import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Reports the progress of a download: four times a second, or at each percent, whichever comes first.
final class ProgressMeter: Sendable {
    private struct Sample {
        let time: Date
        let received: Int
    }

    private struct State {
        var samples: [Sample] = []
        var told: Sample?
    }

    /// The rate is that of the last seconds: a connection that became slow shows at once.
    private static let window = 5.0
    private let total: Int
    private let clock: any HostClock
    private let progress: @Sendable (DownloadProgress) -> Void
    private let state = Mutex(State())

    init(
        total: Int, clock: any HostClock, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) {
        self.total = total
        self.clock = clock
        self.progress = progress
    }

    func reached(_ received: Int) {
        let now = Sample(time: clock.now, received: received)
        let due = state.withLock { state in
            // The clock may be changed, and a download may start over.
            if let last = state.samples.last, last.time > now.time || last.received > received {
                state.samples = []
            }
            let told = state.told
            let isDue =
                told.map { told in
                    received == total || received - told.received >= max(1, total / 100)
                        || abs(now.time.timeIntervalSince(told.time)) >= 0.25
                } ?? true
            guard isDue else { return nil as DownloadProgress? }
            state.told = now
            state.samples.append(now)
            state.samples.removeAll { now.time.timeIntervalSince($0.time) > Self.window }
            return DownloadProgress(
                received: received, total: total, bytesPerSecond: Self.rate(state.samples))
        }
        if let due { progress(due) }
    }

    private static func rate(_ samples: [Sample]) -> Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let seconds = last.time.timeIntervalSince(first.time)
        return seconds > 0 ? Double(last.received - first.received) / seconds : 0
    }
}
