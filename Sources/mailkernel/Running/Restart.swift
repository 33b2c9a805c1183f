import FoundationEssentials
import Glibc

/// Restarts the program in the same process, without any previous state.
enum Restart {
    /// To be called when all is closed. Returns only if it fails, with an error.
    static func now() throws -> Never {
        guard let path = realpath("/proc/self/exe", nil) else {
            throw CommandError("The program could not restart. Start it again.")
        }
        var words = withoutAnyPort(CommandLine.arguments)
        // The open page reconnects by itself.
        if !words.contains("--no-browser") { words.append("--no-browser") }
        var arguments = words.map { strdup($0) } + [nil]
        // A descriptor that a library left open is not handed on.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = CInt(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        fflush(nil)
        execv(path, &arguments)
        throw CommandError("The program could not restart: \(String(cString: strerror(errno))).")
    }

    /// Drops `--port 0` and `--tls-port 0`: the open page uses the previous ports, which are the defaults.
    private static func withoutAnyPort(_ words: [String]) -> [String] {
        var kept: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if ["--port", "--tls-port"].contains(word), rest.first == "0" {
                rest.removeFirst()
            } else if !["--port=0", "--tls-port=0"].contains(word) {
                kept.append(word)
            }
        }
        return kept
    }
}
