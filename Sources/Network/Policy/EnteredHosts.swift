import Synchronization

/// The hosts that the user entered while adding an account: the meaning of `*` in a plugin's manifest. Each
/// belongs to an account or a sign-in, and is allowed only as long as that exists.
public final class EnteredHosts: Sendable {
    private let hosts = Mutex<[String: [String: Set<String>]]>([:])

    public init() {}

    /// Replaces the hosts entered for this owner.
    public func allow(_ entered: some Sequence<String>, for pluginID: String, of owner: String) {
        let names = Set(entered.map(HostRules.plain).filter { !$0.isEmpty })
        hosts.withLock { $0[owner] = names.isEmpty ? nil : [pluginID: names] }
    }

    /// Revokes hosts that were entered only for this owner.
    public func forget(_ owner: String) {
        hosts.withLock { $0[owner] = nil }
    }

    /// - Parameter host: as `HostRules.plain` makes it.
    func allows(_ host: String, for pluginID: String) -> Bool {
        hosts.withLock { owners in owners.values.contains { $0[pluginID]?.contains(host) ?? false } }
    }
}
