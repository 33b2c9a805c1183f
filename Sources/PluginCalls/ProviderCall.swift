import MailKernelAPI
import Store
import Synchronization

/// One call of a plugin, until it returns.
package final class ProviderCall: Sendable {
    private struct State {
        var isCancelled = false
        var isGivenUp = false
        /// Set once the call is under way.
        var cancel: (@Sendable () -> Void)?
        var giveUp: (@Sendable () -> Void)?
    }

    package let pluginID: String
    package let kind: PluginCallKind
    package let accountID: Id<Account>?
    package let silence: Silence
    /// Measures the silence of all calls together that use the same secrets.
    private let shared: Silence?
    private let state = Mutex(State())

    package init(
        _ kind: PluginCallKind, of pluginID: String, accountID: Id<Account>?, shared: Silence?,
        uptime: any SteadyClock
    ) {
        self.kind = kind
        self.pluginID = pluginID
        self.accountID = accountID
        self.shared = shared
        silence = Silence(uptime)
    }

    package var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

    /// - Parameters:
    ///   - cancel: asks the plugin to end the call.
    ///   - giveUp: tells the caller that there will be no answer.
    package func isUnderWay(cancel: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            (state.cancel, state.giveUp) = (cancel, giveUp)
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    package func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }

    package func giveUpIfSilent() {
        guard shared.map({ $0.seconds >= kind.limit }) ?? true else { return }
        giveUp(after: kind.limit)
    }

    /// Gives it up if it was silent for so many seconds.
    package func giveUp(after limit: Double) {
        let giveUp = state.withLock { state -> (@Sendable () -> Void)? in
            guard let giveUp = state.giveUp, !state.isGivenUp, silence.giveUp(after: limit) else {
                return nil
            }
            state.isGivenUp = true
            return giveUp
        }
        guard let giveUp else { return }
        giveUp()
        cancel()
    }
}
