import Glibc
public import MailKernelAPI

/// Makes a provider misbehave as its plugin's settings say, so that a test can see what becomes of
/// the program. The same settings always give the same failures in the same order.
///
/// ```json
/// {
///   "factory": "throw",
///   "factorySeconds": 2,
///   "calls": {
///     "commit": {"delaySeconds": 0.2, "failFirst": 2, "failEvery": 3, "error": "full"},
///     "submit": {"error": {"unreachable": {"host": "h", "reason": "r"}}, "afterwards": true},
///     "changes": {"garbage": true},
///     "*": {"delaySeconds": 0.05}
///   }
/// }
/// ```
///
/// A call follows the rule of its own name, or else that of `*`.
///
/// | key | meaning |
/// |---|---|
/// | `factory` | `throw`, `hang` or `crash` instead of making the provider |
/// | `factorySeconds` | real seconds that making the provider takes |
/// | `delaySeconds` | each call first waits that long by the host's clock |
/// | `failFirst`, `failEvery`, `failAfter` | which calls fail: the first n; each nth; all after the first n. Without any, all fail if there is an `error` |
/// | `error` | how: the name of a case of the kind's error type, an object as that type is encoded in JSON, `hang` (until cancelled), `block` (the thread, for good) or `crash` |
/// | `afterwards` | the failing call does its work first, as when only the answer was lost |
/// | `answer` | what calls that do not fail return, as their return type is encoded in JSON |
/// | `garbage` | true: calls that do not fail return plausible nonsense |
public struct Misbehavior<Failure: Error & Codable>: Sendable {
    private let calls: [String: MisbehaviorRule<Failure>]
    private let clock: any HostClock
    private let log: PluginLog
    private let failure: Failure
    private let cancelled: Failure

    /// Reads the settings. Logs a warning for those that cannot be used, and ignores them.
    ///
    /// - Parameters:
    ///   - failure: thrown where the settings name no error.
    ///   - cancelled: thrown when the task is canceled during a delay.
    public init(_ host: HostServices, failure: Failure, cancelled: Failure) {
        clock = host.clock
        log = host.log
        self.failure = failure
        self.cancelled = cancelled
        calls = (host.settings["calls"]?.objectValue ?? [:]).mapValues { rule in
            MisbehaviorRule(rule, failure: failure, log: host.log)
        }
    }

    /// Makes one call of the provider: waits, fails or answers nonsense if a rule says so.
    ///
    /// - Parameters:
    ///   - name: the name of the method, as settings name it.
    ///   - body: the call itself. An error of another type becomes `failure`.
    ///   - garbage: makes a true answer wrong.
    public func call<Answer: Decodable>(
        _ name: String, _ body: () async throws -> Answer, garbage: (Answer) -> Answer = { $0 }
    ) async throws(Failure) -> Answer {
        guard let rule = calls[name] ?? calls["*"] else { return try await typed(body) }
        let answer = try await fail(by: rule, body)
        if let scripted = rule.answer.flatMap({ MisbehaviorJSON.decode(Answer.self, from: $0) }) {
            return scripted
        }
        return rule.isGarbage ? garbage(answer) : answer
    }

    /// The same for calls that return nothing, or a value that cannot come from JSON.
    public func perform<Answer>(
        _ name: String, _ body: () async throws -> Answer, garbage: (Answer) -> Answer = { $0 }
    ) async throws(Failure) -> Answer {
        guard let rule = calls[name] ?? calls["*"] else { return try await typed(body) }
        let answer = try await fail(by: rule, body)
        return rule.isGarbage ? garbage(answer) : answer
    }

    /// The same for calls that cannot throw: they can be late, hang or crash.
    public func perform<Answer>(quietly name: String, _ body: () async -> Answer) async -> Answer {
        if let rule = calls[name] ?? calls["*"] {
            try? await fail(by: rule) {}
        }
        return await body()
    }

    private func fail<Answer>(
        by rule: MisbehaviorRule<Failure>, _ body: () async throws -> Answer
    ) async throws(Failure) -> Answer {
        let isFailing = rule.countCall()
        if rule.delay > 0 { try await sleep(rule.delay) }
        guard isFailing else { return try await typed(body) }
        if rule.doesItsWorkFirst { _ = try await typed(body) }
        switch rule.end {
        case .error(let error): throw error
        case .crash: abort()
        case .hang:
            while true { try await sleep(3600) }
        case .block:
            log.warning("a call blocks its thread")
            blockThread()
        }
    }

    /// Swift does not find the error type of a closure by itself yet, and a provider's author should
    /// not have to write it down in every call.
    private func typed<Answer>(_ body: () async throws -> Answer) async throws(Failure) -> Answer {
        do {
            return try await body()
        } catch let error as Failure {
            throw error
        } catch {
            throw failure
        }
    }

    private func sleep(_ seconds: Double) async throws(Failure) {
        do {
            try await clock.sleep(for: seconds)
        } catch {
            throw cancelled
        }
    }
}

/// Takes the thread and never gives it back, canceled or not.
private func blockThread() -> Never {
    while true { Glibc.sleep(3600) }
}

/// What a plugin that is told to misbehave throws instead of making its provider.
public struct ToldToThrow: Error, Sendable, CustomStringConvertible {
    public let description = "It was told to throw, by “factory” in its settings. Remove that to load it."
}

/// Misbehaves in `MailKernelPlugin.makeProvider` as the settings of `Misbehavior` say.
///
/// In real time, blocking the thread: that call is not asynchronous.
public func misbehaveInFactory(_ host: HostServices) throws {
    if let seconds = host.settings["factorySeconds"]?.numberValue, seconds > 0 {
        usleep(useconds_t(min(seconds, 3600) * 1_000_000))
    }
    switch host.settings["factory"]?.stringValue {
    case "throw": throw ToldToThrow()
    case "crash": abort()
    case "hang":
        while true { sleep(3600) }
    default: break
    }
}
