import Foundation
import Synchronization

/// A command that was run to its end.
public struct CommandResult: Sendable {
    /// The exit code, or the signal that ended it.
    public let status: Int32
    public let endedBySignal: Bool
    public let output: String
    public let errors: String
}

public struct CannotStart: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) {
        self.description = description
    }
}

/// A program under test. Its output can be waited for line by line; its input is empty.
public final class Command: Sendable {
    private struct State {
        var output = ""
        var errors = ""
        var openStreams = 2
        var exit: CommandResult?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    public let processID: pid_t
    private let state = Mutex(State())

    public init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil
    ) throws {
        var all = ProcessInfo.processInfo.environment
        all["SWIFT_BACKTRACE"] = "enable=no"
        all.merge(environment) { _, new in new }
        let (output, errors, id) = try spawn(
            [program.path] + arguments, environment: all.map { "\($0.key)=\($0.value)" }, folder: folder)
        processID = id
        follow(output) { $0.output += $1 }
        follow(errors) { $0.errors += $1 }
        thread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) == -1, errno == EINTR {}
            self.change { state in
                let signal = status & 0x7f
                state.exit = CommandResult(
                    status: signal == 0 ? (status >> 8) & 0xff : signal, endedBySignal: signal != 0,
                    output: "",
                    errors: "")
            }
        }
    }

    /// What it has written so far.
    public var outputSoFar: String { state.withLock { $0.output } }

    /// The same for standard error.
    public var errorsSoFar: String { state.withLock { $0.errors } }

    public func signal(_ number: Int32) {
        kill(processID, number)
    }

    /// Waits until the output contains the text; false if the program ended without it.
    public func line(containing text: String) async -> Bool {
        await wait { $0.output.contains(text) }
    }

    /// The same for what it writes to standard error.
    public func errorLine(containing text: String) async -> Bool {
        await wait { $0.errors.contains(text) }
    }

    /// Waits for the end of the program.
    public func result() async -> CommandResult {
        _ = await wait { _ in false }
        return state.withLock { state in
            CommandResult(
                status: state.exit?.status ?? -1, endedBySignal: state.exit?.endedBySignal ?? false,
                output: state.output, errors: state.errors)
        }
    }

    /// Runs a command to its end.
    public static func run(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil
    ) async throws -> CommandResult {
        try await Command(program, arguments, environment: environment, in: folder).result()
    }

    /// Runs a command that is found in `PATH`.
    public static func run(_ name: String, _ arguments: [String], in folder: URL? = nil) async throws
        -> CommandResult
    {
        try await run(URL(filePath: "/usr/bin/env"), [name] + arguments, in: folder)
    }

    /// Waits until the condition holds or the program is gone and all that it wrote has been read.
    private func wait(until isMet: (borrowing State) -> Bool) async -> Bool {
        while true {
            let (met, over) = state.withLock { (isMet($0), $0.exit != nil && $0.openStreams == 0) }
            if met || over { return met }
            await withCheckedContinuation { waiter in
                let isLate = state.withLock { state in
                    let isOver = state.exit != nil && state.openStreams == 0
                    if !isMet(state), !isOver { state.waiters.append(waiter) }
                    return isMet(state) || isOver
                }
                if isLate { waiter.resume() }
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func follow(_ stream: Int32, _ take: @escaping @Sendable (inout State, String) -> Void) {
        thread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(stream, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                self.change { take(&$0, text) }
            }
            close(stream)
            self.change { $0.openStreams -= 1 }
        }
    }

    /// A thread of its own: what it does blocks, and must not take one from the tests.
    private func thread(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }
}

/// Between making pipes and keeping them from other programs, no other thread may start one.
private let spawning = Mutex(())

/// Starts a process with two pipes to read from. Foundation's `Process` is not used: waiting for one from
/// several tasks at once sometimes never ends.
private func spawn(
    _ words: [String], environment: [String], folder: URL?
) throws -> (output: Int32, errors: Int32, id: pid_t) {
    let words = (folder.map { ["/usr/bin/env", "--chdir=\($0.path)"] } ?? []) + words
    return try spawning.withLock { _ in
        let (output, errors) = (try privatePipe(), try privatePipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var id = pid_t()
        let failure = posix_spawn(&id, words[0], &actions, nil, &argv, &envp)
        close(output.write)
        close(errors.write)
        guard failure == 0 else {
            close(output.read)
            close(errors.read)
            throw CannotStart(
                description: "\(words[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
        return (output.read, errors.read, id)
    }
}

private func privatePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw CannotStart(description: String(cString: strerror(errno))) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}
