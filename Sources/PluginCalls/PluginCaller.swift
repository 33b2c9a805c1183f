import MailKernelAPI
import PluginHost
import Store
import Synchronization

/// How the kernel calls a plugin: on the plugin's own threads, noted until the call returns, and given up when the
/// plugin is silent for too long.
package struct PluginCaller: Sendable {
    /// Why there is no answer.
    package struct Unanswered: Error {
        /// What the user reads.
        package let sentence: String
        /// Whether the plugin had used its arguments.
        package let hasAsked: Bool
    }

    package let pluginID: String
    /// What the user knows it by.
    package let name: String
    package let calls: ProviderCalls
    package let log: LogOutput
    package let threads: PluginThreads

    package init(_ plugin: PluginRecord, calls: ProviderCalls, log: LogOutput) {
        pluginID = plugin.id
        name = plugin.manifest?.name ?? plugin.id
        self.calls = calls
        self.log = log
        threads = PluginThreads(pluginID: plugin.id)
    }

    /// Whether an abandoned call has not returned yet.
    package var isSilent: Bool { !calls.givenUp(by: pluginID).isEmpty }

    /// Whether an abandoned call of this kind has not returned yet.
    package func isSilent(in kind: PluginCallKind) -> Bool {
        calls.givenUp(by: pluginID).contains { $0.kind == kind }
    }

    /// Makes a call. Canceling the task cancels the call, but its end is still awaited.
    ///
    /// - Parameters:
    ///   - shared: the silence of all calls that use the same secrets.
    ///   - body: receives the silence measurement of this call.
    /// - Throws: if the call was abandoned. Its later result is discarded.
    package func call<Answer: Sendable, Failure: Error>(
        _ kind: PluginCallKind, of accountID: Id<Account>? = nil, shared: Silence? = nil,
        _ body: @escaping @Sendable (Silence) async throws(Failure) -> Answer
    ) async throws(Unanswered) -> Result<Answer, Failure> {
        // More would only wait for its threads.
        guard calls.givenUp(by: pluginID).count < PluginThreads.most else { throw unanswered(nil) }
        let call = ProviderCall(
            kind, of: pluginID, accountID: accountID, shared: shared, uptime: calls.uptime)
        let number = calls.begin(call)
        let result: Result<Answer, Failure>? = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer = FirstAnswer(waiter)
                let task = Task(executorPreference: threads) { [calls, pluginID] in
                    let mark = PluginCallMark(pluginID, kind.name)
                    let result: Result<Answer, Failure>
                    do throws(Failure) {
                        result = .success(try await body(call.silence))
                    } catch {
                        result = .failure(error)
                    }
                    _ = consume mark
                    calls.end(number)
                    answer.give(result)
                }
                call.isUnderWay(cancel: { task.cancel() }, giveUp: { answer.give(nil) })
            }
        } onCancel: {
            call.cancel()
        }
        if let result { return result }
        let error = unanswered(call)
        log.write(.warning, pluginID, error.sentence)
        throw error
    }

    /// - Parameter call: the unanswered call; nil if the plugin was not called.
    private func unanswered(_ call: ProviderCall?) -> Unanswered {
        let what =
            if let call {
                "did not respond to “\(call.kind.name)” within \(call.kind.limit.asTime)"
            } else {
                "has not responded to \(PluginThreads.most) earlier calls"
            }
        return Unanswered(
            sentence:
                "The plugin “\(name)” \(what). Try again later; if that does not help, restart mailkernel "
                + "or turn the plugin off.",
            hasAsked: call?.silence.hasAsked ?? false)
    }
}

/// Hands the first answer to the one who waits for it.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private let waiter: Mutex<CheckedContinuation<Value, Never>?>

    package init(_ waiter: CheckedContinuation<Value, Never>) {
        self.waiter = Mutex(waiter)
    }

    package func give(_ value: Value) {
        let waiter = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?.resume(returning: value)
    }
}
