import MailKernelAPI
import Synchronization

/// The accounts that this kernel looks after, on a store that several kernels share.
package final class HeldLeases: Sendable {
    private let leases = Mutex<[Id<Account>: StoreLease]>([:])
    private let tellLoss = Mutex<(@Sendable (Id<Account>) -> Void)?>(nil)

    package subscript(id: Id<Account>) -> StoreLease? { leases.withLock { $0[id] } }

    package var accountIDs: Set<Id<Account>> { leases.withLock { Set($0.keys) } }

    package func hold(_ lease: StoreLease) { leases.withLock { $0[lease.accountID] = lease } }

    /// Returns the lease that was held.
    @discardableResult
    package func drop(_ id: Id<Account>) -> StoreLease? { leases.withLock { $0.removeValue(forKey: id) } }

    /// - Parameter tell: called when a commit shows that another kernel looks after an account by now.
    package func whenLost(_ tell: (@Sendable (Id<Account>) -> Void)?) { tellLoss.withLock { $0 = tell } }

    func wasLost(_ lease: StoreLease) {
        let isHeld = leases.withLock { leases in
            // A late commit of an earlier turn says nothing about this one.
            guard leases[lease.accountID] == lease else { return false }
            leases[lease.accountID] = nil
            return true
        }
        if isHeld { tellLoss.withLock { $0 }?(lease.accountID) }
    }
}
