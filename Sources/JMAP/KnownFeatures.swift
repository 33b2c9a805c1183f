import Kernel
import MailKernelAPI
import PluginCalls
import Store
import Synchronization

/// What the service of each account can do, for every answer of the program.
///
/// An account can be on a server that does not respond, while the rest of the store does: the answer has what was read
/// last, and is not kept waiting.
final class KnownFeatures: Sendable {
    private static let patience = 0.5

    private let last = Mutex<[Id<Account>: AccountFeatures]>([:])

    func features(
        of id: Id<Account>, in kernel: MailKernel
    ) async throws(StorageError) -> AccountFeatures {
        guard case .server = kernel.store.place else { return try await kernel.mail.features(of: id) }
        let known = last.withLock { $0[id] }
        do throws(StorageError) {
            let found = try await read(id, in: kernel, isKnown: known != nil)
            if let found { last.withLock { $0[id] = found } }
            return found ?? known ?? []
        } catch {
            guard error.isOfServer else { throw error }
            return known ?? []
        }
    }

    /// Nil if it takes too long and something is known.
    private func read(
        _ id: Id<Account>, in kernel: MailKernel, isKnown: Bool
    ) async throws(StorageError) -> AccountFeatures? {
        let mail = kernel.mail
        guard isKnown else { return try await mail.features(of: id) }
        let answer = await Deadline.run(Self.patience, kernel.clock) {
            () -> Result<AccountFeatures, StorageError> in
            do throws(StorageError) { return .success(try await mail.features(of: id)) } catch {
                return .failure(error)
            }
        }
        return try answer?.get()
    }
}
