import MailKernelAPI
import Synchronization

/// Whether anything responded during a search. Without it, “nothing was found” would only mean that there is no network.
final class Contact: Sendable {
    private struct State {
        var responded = false
        var isOffline = false
    }

    private let state = Mutex(State())

    /// Something responded, whatever it said.
    func responded() { state.withLock { $0.responded = true } }

    /// A refused certificate or a broken answer comes from a server; silence does not.
    func failed(_ error: NetworkError) {
        switch error {
        case .offline: state.withLock { $0.isOffline = true }
        case .insecure, .badAnswer, .loginRefused, .closed: responded()
        case .unreachable, .hostNotAllowed, .cancelled, .local: break
        }
    }

    /// What is wrong with the network; nil if anything responded.
    var obstacle: Discovery.Obstacle? {
        state.withLock { $0.responded ? nil : $0.isOffline ? .offline : .unreachable }
    }
}
