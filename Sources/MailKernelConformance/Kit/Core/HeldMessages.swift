public import MailKernelAPI

/// The messages that a kernel holds, for `AccountSession.changes`; none by default.
public struct HeldMessages: KnownMessages {
    private let sorted: [RemoteMessageID]

    /// - Parameter ids: in any order.
    public init(_ ids: [RemoteMessageID] = []) { sorted = ids.sorted() }

    public func ids(after: RemoteMessageID?, limit: Int) -> [RemoteMessageID] {
        Array(sorted.drop { id in after.map { id <= $0 } ?? false }.prefix(limit))
    }

    public func contains(_ ids: [RemoteMessageID]) -> Set<RemoteMessageID> {
        Set(sorted).intersection(ids)
    }
}
