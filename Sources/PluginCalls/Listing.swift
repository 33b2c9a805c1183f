import Synchronization

/// What the page asks a plugin for: callers wait a few seconds, then receive the last answer. Simultaneous callers share
/// one call.
package final class Listing<Answer: Sendable>: Sendable {
    private struct Contents {
        var last: Answer?
        /// The number of the call that `last` is from.
        var answered = 0
        var number = 0
        /// Ends with the answer of the call `number`, or when it has taken too long.
        var waiting: Task<Void, Never>?
    }

    private let contents = Mutex(Contents())
    private let calls: ProviderCalls
    private let ask: @Sendable () async -> Answer?

    /// - Parameter ask: returns nil if there is no answer.
    package init(_ calls: ProviderCalls, ask: @escaping @Sendable () async -> Answer?) {
        self.calls = calls
        self.ask = ask
    }

    /// The answer, or the last one if the plugin takes too long or fails; nil if there never was one.
    ///
    /// - Parameter late: called when the plugin responds or is given up after all.
    package func answer(late: @escaping @Sendable () async -> Void = {}) async -> Answer? {
        let waiting = contents.withLock { contents in
            if let waiting = contents.waiting { return waiting }
            contents.number += 1
            let waiting = begin(contents.number, late)
            contents.waiting = waiting
            return waiting
        }
        await waiting.value
        return contents.withLock { $0.last }
    }

    /// Makes the next caller ask again: the answer to the current call may be outdated.
    package func forget() { contents.withLock { $0.waiting = nil } }

    private func begin(_ number: Int, _ late: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task {
            let call = Task { end(number, await ask()) }
            let isInTime = await Deadline.run(PluginCallKind.patience, calls.clock) {
                await call.value
                return true
            }
            guard isInTime == nil else { return }
            Task {
                await call.value
                await late()
            }
        }
    }

    private func end(_ number: Int, _ answer: Answer?) {
        contents.withLock { contents in
            if number == contents.number { contents.waiting = nil }
            guard let answer, number > contents.answered else { return }
            (contents.last, contents.answered) = (answer, number)
        }
    }
}
