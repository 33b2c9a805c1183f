public import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// A clock that stands still until it is moved.
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

    /// How many tasks are asleep on it.
    public var sleepers: Int { contents.value.sleepers.count }

    /// Waits until as many tasks are asleep as a test needs before it moves the clock: one at least, unless
    /// it says otherwise.
    public func waitForSleepers(_ isEnough: @Sendable (Int) -> Bool = { $0 > 0 }) async {
        await contents.wait { isEnough($0.sleepers.count) }
    }

    /// An element at once, and one whenever it was moved or somebody fell asleep or woke.
    public func changes() -> AsyncStream<Void> { contents.changes() }

    /// Moves the clock, backwards too, and wakes whoever has slept long enough.
    public func advance(by seconds: Double) {
        let woken = contents.withLock { contents in
            contents.now += seconds
            let due = contents.sleepers.filter { $0.value.wakesAt <= contents.now }
            for id in due.keys { contents.sleepers[id] = nil }
            return due.values.map(\.wake)
        }
        for wake in woken { wake.resume() }
    }

    /// Moves the clock whenever somebody is asleep, until the task is cancelled.
    public func keepMoving(by seconds: Double) async {
        while !Task.isCancelled {
            await waitForSleepers()
            advance(by: seconds)
        }
    }

    public func sleep(for seconds: Double) async throws(CancellationError) {
        try await sleep { $0 + seconds }
    }

    /// However the clock is moved before this begins, it wakes nobody too late.
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

/// Secrets that last as long as the object.
public final class MemorySecrets: SecretStore {
    private let secrets = Mutex<[String: Secret]>([:])

    public init() {}

    /// What is kept, in alphabetical order.
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

/// A network that lets nothing out.
public struct NoNetwork: PluginNetwork {
    public init() {}

    public func send(_ request: HTTPRequest) throws(NetworkError) -> HTTPResponse { throw .offline }

    public func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) throws(NetworkError) -> HTTPResponse { throw .offline }

    public func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) throws(NetworkError) -> any ByteStream { throw .offline }

    public func submit(_ submission: SMTPSubmission) throws(NetworkError) -> SMTPOutcome { throw .offline }
}

extension HostServices {
    /// What a plugin is lent in a test: nothing leaves it and nothing lasts.
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
