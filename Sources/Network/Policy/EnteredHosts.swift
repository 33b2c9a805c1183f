import Synchronization

/// The hosts that the user entered where an account was added: what `*` in the manifest of a plugin stands
/// for. Each belongs to whom it was entered for, an account or a sign-in, and is allowed no longer than that.
public final class EnteredHosts: Sendable {
    private let hosts = Mutex<[String: [String: Set<String>]]>([:])

    public init() {}

    /// Takes the place of what was entered for this owner before.
    public func allow(_ entered: some Sequence<String>, for pluginID: String, of owner: String) {
        let names = Set(entered.map(HostRules.plain).filter { !$0.isEmpty })
        hosts.withLock { $0[owner] = names.isEmpty ? nil : [pluginID: names] }
    }

    /// What was entered for this owner alone is not allowed any more.
    public func forget(_ owner: String) {
        hosts.withLock { $0[owner] = nil }
    }

    /// - Parameter host: as `HostRules.plain` makes it.
    func allows(_ host: String, for pluginID: String) -> Bool {
        hosts.withLock { owners in owners.values.contains { $0[pluginID]?.contains(host) ?? false } }
    }
}
