import Glibc

/// Looks again until another process has come to something, such as a server to its first connection.
///
/// Only for what sends no event: a value of the test's own process can be awaited with `Watched`.
///
/// - Parameters:
///   - what: as the failure names it.
///   - seconds: the deadline, for slow machines.
///   - look: nil until it is so.
/// - Throws: `ConformanceFailure` at the deadline, and what `look` throws.
public func polling<Answer>(
    for what: String, every pause: Duration = .milliseconds(20), within seconds: Double = 300,
    _ look: () async throws -> Answer?
) async throws -> Answer {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        if let answer = try await look() { return answer }
        guard ContinuousClock.now < end else {
            throw ConformanceFailure("\(what): it did not come within \(seconds) seconds")
        }
        try await Task.sleep(for: pause)
    }
}

/// The same for a condition.
public func polling(
    until what: String, every pause: Duration = .milliseconds(20), within seconds: Double = 300,
    _ isSo: () async throws -> Bool
) async throws {
    try await polling(for: what, every: pause, within: seconds) { try await isSo() ? () : nil }
}

/// The same where nothing is asynchronous: it blocks the thread.
public func blockingPolling(
    until what: String, everyMicroseconds pause: UInt32 = 20_000, within seconds: Double = 300,
    _ isSo: () throws -> Bool
) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !isSo() {
        guard ContinuousClock.now < end else {
            throw ConformanceFailure("\(what): it did not come within \(seconds) seconds")
        }
        usleep(pause)
    }
}
