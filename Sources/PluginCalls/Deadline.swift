import MailKernelAPI

/// Work that is of no use when it comes late.
package enum Deadline {
    /// What `work` makes, or nil once the time is over or the task is cancelled: the work is then cancelled
    /// too, and its end is not waited for, should a provider be slow to notice.
    package static func run<Value: Sendable>(
        _ seconds: Double, _ clock: any HostClock, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (results, result) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let worker = Task { _ = result.yield(await work()) }
        let timer = Task {
            try? await clock.sleep(for: seconds)
            _ = result.yield(nil)
        }
        defer {
            worker.cancel()
            timer.cancel()
        }
        // Cancelling this task ends the stream.
        for await first in results { return first }
        return nil
    }
}
