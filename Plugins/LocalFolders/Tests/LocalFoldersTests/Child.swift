import FoundationEssentials
import Glibc

/// `local-folders-crasher`, running. What it prints goes into a file: nothing of it is lost with it.
final class Child {
    struct CannotStart: Error {
        let code: CInt
    }

    private let id: pid_t
    private let output: String

    init(_ arguments: [String], output: String) throws {
        self.output = output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let program = try Self.program()
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let code = posix_spawn(&id, program, &actions, nil, &words, environ)
        guard code == 0 else { throw CannotStart(code: code) }
        self.id = id
    }

    /// Beside the tests' own binary, wherever that was loaded from.
    private static func program() throws -> String {
        let maps = try String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8)
        let binary = maps.split(separator: "\n").first { $0.hasSuffix("PackageTests.xctest") }
        guard let binary, let slash = binary.firstIndex(of: "/") else { throw CannotStart(code: ENOENT) }
        return URL(filePath: String(binary[slash...])).deletingLastPathComponent()
            .appending(path: "local-folders-crasher").path
    }

    /// Waits until it has printed something, or somebody has waited too long for that.
    func hasPrinted() async throws -> Bool {
        for _ in 0..<12_000 {
            if let size = try? FileManager.default.attributesOfItem(atPath: output)[.size] as? Int, size > 0 {
                return true
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    func kill() {
        Glibc.kill(id, SIGKILL)
    }

    /// Waits for its end and returns the lines that it printed, whole ones only.
    func lines() throws -> [String] {
        var status: CInt = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
