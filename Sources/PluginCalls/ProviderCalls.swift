import MailKernelAPI
import Store
import Synchronization

/// The calls of plugins that have not returned. Those that are silent for too long are given up, and stay listed until
/// they return.
package final class ProviderCalls: Sendable {
    package struct Call: Sendable, Hashable {
        package let pluginID: String
        package let name: String

        package init(pluginID: String, name: String) {
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
    package let clock: any HostClock
    package let uptime: any SteadyClock

    package convenience init() {
        self.init(clock: WallClock(), uptime: SystemUptime())
    }

    /// - Parameters:
    ///   - clock: for the intervals between checks.
    ///   - uptime: for measuring silence; nil for `clock`.
    package init(clock: any HostClock, uptime: (any SteadyClock)? = nil) {
        self.clock = clock
        self.uptime = uptime ?? WallUptime(clock: clock)
    }

    /// Oldest first.
    package var outstanding: [Call] {
        all.map { Call(pluginID: $0.pluginID, name: $0.kind.name) }
    }

    /// Those that have been silent for longer than it takes a canceled call to end.
    package var stuck: [Call] {
        all.filter { $0.isGivenUp || $0.silence.seconds >= 1 }
            .map { Call(pluginID: $0.pluginID, name: $0.kind.name) }
    }

    private var all: [ProviderCall] {
        contents.withLock { $0.calls.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The calls of a plugin that were given up and have not returned.
    package func givenUp(by pluginID: String) -> [ProviderCall] {
        all.filter { $0.pluginID == pluginID && $0.isGivenUp }
    }

    /// Gives up all calls for an account that is being removed.
    package func giveUp(for accountID: Id<Account>) {
        for call in all where call.accountID == accountID { call.giveUp(after: 0) }
    }

    /// Gives up all calls. Returns the ids of the plugins that have not returned.
    package func giveUpAll() -> Set<String> {
        for call in all { call.giveUp(after: 0) }
        return Set(all.map(\.pluginID))
    }

    /// Why what a plugin offers may be missing or outdated, for the user; nil if it responds.
    package func problem(of pluginID: String) -> String? {
        // The page asks as soon as it has waited, which may be a little less by this clock.
        let silent = all.first { call in
            call.pluginID == pluginID
                && (call.isGivenUp
                    || call.kind.isShown && call.silence.seconds >= PluginCallKind.patience / 2)
        }
        return silent.map {
            "The plugin is not responding to “\($0.kind.name)”. If this does not change, restart mailkernel or turn "
                + "the plugin off."
        }
    }

    /// Notes a call. Returns its number, by which it is ended.
    package func begin(_ call: ProviderCall) -> Int {
        let (number, isFirst) = contents.withLock { contents in
            contents.next += 1
            contents.calls[contents.next] = call
            defer { contents.isWatching = true }
            return (contents.next, !contents.isWatching)
        }
        if isFirst { Task.detached { await self.watch() } }
        return number
    }

    package func end(_ number: Int) {
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
