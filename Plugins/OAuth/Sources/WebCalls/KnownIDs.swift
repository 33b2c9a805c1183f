public import MailKernelAPI

/// The kernel's messages, asked about with the failures that account plugins throw.
public struct KnownIDs: Sendable {
    private let messages: any KnownMessages

    public init(_ messages: any KnownMessages) {
        self.messages = messages
    }

    /// Those of `ids` that the kernel has.
    public func among(_ ids: [RemoteMessageID]) async throws(AccountError) -> Set<RemoteMessageID> {
        do {
            return try await messages.contains(ids)
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "\(error)")
        }
    }

    /// The next ones in the kernel's order.
    public func after(_ id: RemoteMessageID?, limit: Int) async throws(AccountError) -> [RemoteMessageID] {
        do {
            return try await messages.ids(after: id, limit: limit)
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "\(error)")
        }
    }
}
