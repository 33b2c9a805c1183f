import MailKernelAPI
import Synchronization

/// Calls of a store that fail as a test has it.
package final class FailingCalls: Sendable {
    private struct Plan {
        var count = 0
        var isNow: @Sendable (Int) -> Bool = { _ in false }
        var failures = 0
    }

    private let plan = Mutex(Plan())

    package init() {}

    /// The call with this number fails, counted from now on.
    package func fail(at number: Int) { begin { $0 == number } }

    /// Every call whose number can be divided by this fails, counted from now on.
    package func fail(every number: Int) { begin { $0.isMultiple(of: number) } }

    /// All goes well from now on. Returns how many calls failed.
    @discardableResult
    package func stop() -> Int {
        plan.withLock { plan in
            plan.isNow = { _ in false }
            return plan.failures
        }
    }

    private func begin(_ isNow: @escaping @Sendable (Int) -> Bool) {
        plan.withLock { $0 = Plan(isNow: isNow) }
    }

    /// A store whose calls are counted here.
    package func storage(_ inner: any StorageBackend) -> any StorageBackend {
        InterceptedStorage(inner) { (_) async throws(StorageError) in try self.call() }
    }

    private func call() throws(StorageError) {
        let isNow = plan.withLock { plan in
            plan.count += 1
            guard plan.isNow(plan.count) else { return false }
            plan.failures += 1
            return true
        }
        if isNow { throw .unwritable(reason: "A test has it so.") }
    }
}
