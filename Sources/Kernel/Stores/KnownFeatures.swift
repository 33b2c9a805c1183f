import Mail
import MailKernelAPI
import PluginCalls
import Store
import Synchronization

/// What the service of each account can do, for every answer of the program.
///
/// An account can be on a server that does not respond, while the rest of the store does: the answer has what was read
/// last, and is not kept waiting.
package final class KnownFeatures: Sendable {
    private static let patience = 0.5

    private let store: MailStore
    private let mail: MailActions
    private let clock: any HostClock
    private let last = Mutex<[Id<Account>: AccountFeatures]>([:])

    package init(store: MailStore, mail: MailActions, clock: any HostClock) {
        (self.store, self.mail, self.clock) = (store, mail, clock)
    }

    package func features(of id: Id<Account>) async throws(StorageError) -> AccountFeatures {
        guard case .server = store.place else { return try await mail.features(of: id) }
        let known = last.withLock { $0[id] }
        do throws(StorageError) {
            let found = try await read(id, isKnown: known != nil)
            if let found { last.withLock { $0[id] = found } }
            return found ?? known ?? []
        } catch {
            guard error.isOfServer else { throw error }
            return known ?? []
        }
    }

    /// Nil if it takes too long and something is known.
    private func read(_ id: Id<Account>, isKnown: Bool) async throws(StorageError) -> AccountFeatures? {
        guard isKnown else { return try await mail.features(of: id) }
        let answer = await Deadline.run(Self.patience, clock) {
            [mail] () -> Result<AccountFeatures, StorageError> in
            do throws(StorageError) { return .success(try await mail.features(of: id)) } catch {
                return .failure(error)
            }
        }
        return try answer?.get()
    }
}
