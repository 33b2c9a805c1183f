import Synchronization

/// Does something once, before a call of a certain number: calls of the store and of the service are both counted, from
/// the first commit on. Several of one name in a row count once.
package final class CallCounter: Sendable {
    private struct State {
        var isCounting = false
        var last: String?
        var count = 0
        var isActing = false
        var isDone = false
    }

    private let state = Mutex(State())
    private let number: Int
    private let action: @Sendable () async -> Bool

    /// - Parameters:
    ///   - number: of the call, counted from 1.
    ///   - action: returns whether it could be done. If not, it is tried before the next call.
    package init(_ number: Int, _ action: @escaping @Sendable () async -> Bool) {
        self.number = number
        self.action = action
    }

    package func setCounting(_ isCounting: Bool) { state.withLock { $0.isCounting = isCounting } }

    /// Whether it was done.
    package var isDone: Bool { state.withLock { $0.isDone } }

    package func call(_ name: String) async {
        let isNow = state.withLock { state in
            guard state.isCounting, !state.isDone, !state.isActing else { return false }
            guard state.last != nil || name == "commit" else { return false }
            if state.last != name { state.count += 1 }
            state.last = name
            state.isActing = state.count >= number
            return state.isActing
        }
        guard isNow else { return }
        let isDone = await action()
        state.withLock { ($0.isActing, $0.isDone) = (false, isDone) }
    }
}
