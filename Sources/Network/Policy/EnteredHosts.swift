import Synchronization

/// The hosts that the user entered where an account was added: what `*` in the manifest of a plugin stands
/// for.
public final class EnteredHosts: Sendable {
    private let hosts = Mutex<[String: Set<String>]>([:])

    public init() {}

    public func allow(_ entered: some Sequence<String>, for pluginID: String) {
        let names = entered.map(HostRules.plain).filter { !$0.isEmpty }
        hosts.withLock { $0[pluginID, default: []].formUnion(names) }
    }

    /// - Parameter host: as `HostRules.plain` makes it.
    func allows(_ host: String, for pluginID: String) -> Bool {
        hosts.withLock { $0[pluginID]?.contains(host) ?? false }
    }
}
