import Dispatch
import FoundationEssentials
import Glibc
import MailKernelConformance

/// Lets a random time pass: the chance in tests of what happens at any moment, and no way to wait for an event.
public func anyMoment(within pause: Duration) async throws {
    try await Task.sleep(for: pause * Double.random(in: 0...1))
}

/// A program that was built beside the tests, running until it ends or is killed. Every line that it has
/// written is kept, whatever becomes of it.
public final class Child: Sendable {
    public struct CannotStart: Error {
        public let code: CInt
    }

    private struct State {
        var output = Data()
        var isOver = false
    }

    private let id: pid_t
    private let state = Watched(State())

    /// - Parameters:
    ///   - program: its name, beside the tests' own binary.
    ///   - command: what runs it in another place, such as `/usr/bin/nsenter` and its options.
    public init(_ program: String, _ arguments: [String], through command: [String] = []) throws {
        var ends: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw CannotStart(code: errno) }
        defer { close(ends[1]) }
        do {
            let path = try Self.folder().appending(path: program).path
            id = try Self.start(command + [path] + arguments, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        read(ends[0])
    }

    deinit { kill() }

    /// Kills it at a moment of chance from now on, to find out what a kill between any two steps leaves.
    public func killAtAnyMoment(within pause: Duration) async throws {
        try await anyMoment(within: pause)
        kill()
    }

    private static func start(_ command: [String], output: CInt) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let code = posix_spawn(&id, command[0], &actions, nil, &words, environ)
        guard code == 0 else { throw CannotStart(code: code) }
        return id
    }

    /// Where the tests' own binary is, wherever that was loaded from.
    private static func folder() throws -> URL {
        let maps = try String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8)
        let binary = maps.split(separator: "\n").first { $0.hasSuffix("PackageTests.xctest") }
        guard let binary, let slash = binary.firstIndex(of: "/") else { throw CannotStart(code: ENOENT) }
        return URL(filePath: String(binary[slash...])).deletingLastPathComponent()
    }

    /// Reads what it writes, until the last who could write has ended.
    private func read(_ line: CInt) {
        let (id, state) = (id, state)
        DispatchQueue(label: "child").async {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = Glibc.read(line, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                let bytes = Data(buffer[..<count])
                state.withLock { $0.output += bytes }
            }
            close(line)
            state.withLock { state in
                // Under the lock, so that a number that is another's by now is not signaled.
                while waitpid(id, nil, 0) == -1, errno == EINTR {}
                state.isOver = true
            }
        }
    }

    /// Waits until it has written so many lines; false if it ends before.
    public func hasWritten(lines count: Int) async -> Bool {
        await state.wait { $0.isOver || Self.lines($0.output).count >= count }
        return Self.lines(state.value.output).count >= count
    }

    public func kill() {
        state.withLock { state in
            if !state.isOver { _ = Glibc.kill(id, SIGKILL) }
        }
    }

    /// Waits for its end and returns the lines that it wrote, whole ones only.
    public func lines() async -> [String] {
        await state.wait { $0.isOver }
        return Self.lines(state.value.output)
    }

    private static func lines(_ output: Data) -> [String] {
        output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
