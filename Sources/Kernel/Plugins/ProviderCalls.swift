public import MailKernelAPI
import Synchronization

/// The calls of plugins that have not returned. Those that are silent for too long are given up, and stay listed until
/// they return.
public final class ProviderCalls: Sendable {
    public struct Call: Sendable, Hashable {
        public let pluginID: String
        public let name: String

        public init(pluginID: String, name: String) {
            (self.pluginID, self.name) = (pluginID, name)
        }
    }

    /// How often silent calls are looked for, in seconds.
    private static let interval = 5.0

    private struct Contents {
        var next = 0
        var calls: [Int: ProviderCall] = [:]
        var isWatching = false
    }

    private let contents = Mutex(Contents())
    private let clock: any HostClock
    let uptime: any SteadyClock

    public convenience init() {
        self.init(clock: WallClock(), uptime: SystemUptime())
    }

    /// - Parameters:
    ///   - clock: for the intervals between checks.
    ///   - uptime: for measuring silence; nil for `clock`.
    public init(clock: any HostClock, uptime: (any SteadyClock)? = nil) {
        self.clock = clock
        self.uptime = uptime ?? WallUptime(clock: clock)
    }

    /// Oldest first.
    public var outstanding: [Call] {
        all.map { Call(pluginID: $0.pluginID, name: $0.kind.name) }
    }

    private var all: [ProviderCall] {
        contents.withLock { $0.calls.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The calls of a plugin that were given up and have not returned.
    func givenUp(by pluginID: String) -> [ProviderCall] {
        all.filter { $0.pluginID == pluginID && $0.isGivenUp }
    }

    /// Notes a call. Returns its number, by which it is ended.
    func begin(_ call: ProviderCall) -> Int {
        let (number, isFirst) = contents.withLock { contents in
            contents.next += 1
            contents.calls[contents.next] = call
            defer { contents.isWatching = true }
            return (contents.next, !contents.isWatching)
        }
        if isFirst { Task.detached { await self.watch() } }
        return number
    }

    func end(_ number: Int) {
        contents.withLock { $0.calls[number] = nil }
    }

    /// Gives silent calls up for as long as there are calls that could be.
    private func watch() async {
        repeat {
            try? await clock.sleep(for: Self.interval)
            for call in all { call.giveUpIfSilent() }
        } while goesOn
    }

    private var goesOn: Bool {
        contents.withLock { contents in
            contents.isWatching = contents.calls.values.contains { !$0.isGivenUp }
            return contents.isWatching
        }
    }
}
