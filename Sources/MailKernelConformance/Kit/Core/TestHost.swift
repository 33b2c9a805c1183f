public import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// A clock that stands still until the test moves it.
public final class ManualClock: HostClock {
    private struct Sleeper {
        let wakesAt: Date
        let wake: CheckedContinuation<Void, Never>
    }

    private struct Contents {
        var now: Date
        var sleepers: [UUID: Sleeper] = [:]
    }

    private let contents: Watched<Contents>

    public init(now: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        contents = Watched(Contents(now: now))
    }

    public var now: Date { contents.value.now }

    /// The number of tasks that are asleep.
    public var sleepers: Int { contents.value.sleepers.count }

    /// Whether a task sleeps until this moment.
    public func isAnyAsleep(until date: Date) -> Bool {
        contents.value.sleepers.values.contains { $0.wakesAt == date }
    }

    /// Waits until enough tasks are asleep for the test to move the clock; by default at least one.
    public func waitForSleepers(_ isEnough: @Sendable (Int) -> Bool = { $0 > 0 }) async {
        await contents.wait { isEnough($0.sleepers.count) }
    }

    /// Yields once at the start, and again whenever the clock was moved or a task fell asleep or woke up.
    public func changes() -> AsyncStream<Void> { contents.changes() }

    /// Moves the clock, backwards too, and wakes every task that has slept long enough.
    public func advance(by seconds: Double) {
        let woken = contents.withLock { contents in
            contents.now += seconds
            let due = contents.sleepers.filter { $0.value.wakesAt <= contents.now }
            for id in due.keys { contents.sleepers[id] = nil }
            return due.values.map(\.wake)
        }
        for wake in woken { wake.resume() }
    }

    /// Moves the clock whenever a task is asleep, until the calling task is canceled.
    public func keepMoving(by seconds: Double) async {
        while !Task.isCancelled {
            await waitForSleepers()
            advance(by: seconds)
        }
    }

    public func sleep(for seconds: Double) async throws(CancellationError) {
        try await sleep { $0 + seconds }
    }

    /// Wakes in time even if the clock was moved before this begins.
    public func sleep(until date: Date) async throws(CancellationError) {
        try await sleep { _ in date }
    }

    private func sleep(until date: (_ now: Date) -> Date) async throws(CancellationError) {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isDue = contents.withLock { contents in
                    let wakesAt = date(contents.now)
                    guard wakesAt > contents.now, !Task.isCancelled else { return true }
                    contents.sleepers[id] = Sleeper(wakesAt: wakesAt, wake: wake)
                    return false
                }
                if isDue { wake.resume() }
            }
        } onCancel: {
            let sleeper = contents.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.wake.resume()
        }
        if Task.isCancelled { throw CancellationError() }
    }
}

/// A secret store in memory; its secrets last as long as the object.
public final class MemorySecrets: SecretStore {
    private let secrets = Mutex<[String: Secret]>([:])

    public init() {}

    /// The names of all secrets, sorted.
    public var names: [String] { secrets.withLock { $0.keys.sorted() } }

    public func secret(named name: String) -> Secret? {
        secrets.withLock { $0[name] }
    }

    public func store(_ secret: Secret, named name: String) {
        secrets.withLock { $0[name] = secret }
    }

    public func removeSecret(named name: String) {
        secrets.withLock { $0[name] = nil }
    }
}

/// The time of this computer, or one that is wrong by some seconds.
public struct RealClock: HostClock {
    private let error: Double

    public init(error: Double = 0) { self.error = error }

    public var now: Date { Date() + error }

    public func sleep(for seconds: Double) async throws(CancellationError) {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            throw CancellationError()
        }
    }
}

extension HostServices {
    /// Host services for a test: no network, secrets in memory, and a log that writes nothing.
    public static func forTesting(
        settings: PluginSettings = PluginSettings(),
        dataFolder: URL = FileManager.default.temporaryDirectory,
        clock: any HostClock = ManualClock()
    ) -> HostServices {
        HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: settings,
            secrets: MemorySecrets(), dataFolder: dataFolder, clock: clock, network: NoNetwork())
    }
}
