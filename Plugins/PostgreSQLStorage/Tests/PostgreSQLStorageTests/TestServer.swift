import Dispatch
import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance

@testable import PostgreSQLStorage

/// A PostgreSQL of the tests' own in a new folder, reached by a socket. It ends with the tests, whatever ends those.
struct TestServer {
    /// It may lose what it confirmed, which a check would report.
    static let shared = Result { try TestServer("-c listen_addresses='' -c fsync=off") }
    /// The same as a server should be.
    static let durable = Result { try TestServer() }

    /// Why there is no server, for tests that are skipped then.
    static var isInstalled: Bool { access(programs + "/postgres", X_OK) == 0 }
    static let programs = "/usr/lib/postgresql/15/bin"

    let folder: String
    private let programs: String
    private let options: String

    struct CannotStart: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - options: of the server, such as `-c ssl=on`.
    ///   - isIsolated: whether its network is its own.
    ///   - programs: the folder of another version.
    init(
        _ options: String = "-c listen_addresses=''", tls: Bool = false, isIsolated: Bool = false,
        programs: String = Self.programs
    ) throws {
        folder = try Self.newFolder()
        self.options = options
        self.programs = programs
        try Self.start(
            Self.script, [programs, folder, options, tls ? "tls" : "", isIsolated ? "isolated" : ""])
    }

    static func newFolder() throws -> String {
        let folder =
            FileManager.default.temporaryDirectory.path + "/pg-"
            + String(UInt32.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    /// As root it becomes the user postgres, because PostgreSQL refuses to run as root.
    static let unprivileged = """
        as=; [ "$(id -u)" = 0 ] && { as="setpriv --reuid=postgres --regid=postgres --clear-groups"; chown postgres: "$folder"; }

        """

    private static let script = """
        programs=$0 folder=$1 options=$2 tls=$3 isolated=$4
        \(unprivileged)
        isolate() {
            if [ -n "$isolated" ]; then unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$@"; else "$@"; fi
        }
        trap '$as "$programs/pg_ctl" -D "$folder/data" -s -m immediate stop; rm -rf "$folder"' EXIT
        trap '' INT TERM HUP
        cd "$folder" && $as env LC_ALL=C "$programs/initdb" -D "$folder/data" -U mail --auth=trust -E UTF8 --locale=C --no-sync </dev/null &&
        $as sed -i '1i local all guarded scram-sha-256' "$folder/data/pg_hba.conf" &&
        { [ -z "$tls" ] || $as openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \\
            -addext subjectAltName=DNS:localhost -keyout "$folder/data/server.key" -out "$folder/data/server.crt" 2>/dev/null; } &&
        isolate $as "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w -s -o "$options \\
            -c unix_socket_directories='$folder' -c max_connections=200 -c shared_buffers=128MB \\
            -c recovery_init_sync_method=syncfs" start </dev/null >&2 &&
        echo y >&0 || echo n >&0
        read -r end
        """

    /// Starts a script whose standard input ends with this process. It answers `y` once what it starts can be used.
    static func start(_ script: String, _ arguments: [String]) throws {
        var ends: [CInt] = [0, 0]
        // The end that stays here is never closed: the script's `read` returns when this process has ended.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else {
            throw CannotStart(description: "socketpair: \(errno)")
        }
        _ = try spawn(["sh", "-c", script] + arguments, line: ends[0])
        close(ends[0])
        var answer: UInt8 = 0
        guard read(ends[1], &answer, 1) == 1, answer == UInt8(ascii: "y") else {
            throw CannotStart(description: "the server of the test does not start")
        }
    }

    /// Runs a script to its end.
    static func run(_ script: String, _ arguments: [String]) throws {
        let id = try spawn(["sh", "-c", script] + arguments, line: nil)
        var status: CInt = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else { throw CannotStart(description: "status \(status) of \(script.suffix(200))") }
    }

    private static func spawn(_ command: [String], line: CInt?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let line {
            posix_spawn_file_actions_adddup2(&actions, line, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let code = posix_spawn(&id, "/bin/sh", &actions, nil, &words, environ)
        guard code == 0 else { throw CannotStart(description: "sh: \(code)") }
        return id
    }

    func stop() throws { try control("stop") }

    /// With the options that it was started with before.
    func startAgain() throws { try control("start -o \"$options -c unix_socket_directories='$folder'\"") }

    private func control(_ command: String) throws {
        let script = """
            programs=$0 folder=$1 options=$2
            \(Self.unprivileged)
            cd "$folder" && $as "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w -s -m fast \(command) >&2
            """
        try Self.run(script, [programs, folder, options])
    }

    var connection: String { "host=\(folder) user=mail dbname=postgres" }

    /// A schema for one folder of a test: a store that is made again for the folder is the same.
    static func settings(for folder: URL, on server: TestServer) throws -> PluginSettings {
        let name = "s" + String(folder.path.utf8.reduce(UInt64(5_381)) { $0 &* 33 ^ UInt64($1) }, radix: 36)
        return PluginSettings([
            "connection": .string(server.connection), "schema": .string(name),
        ])
    }

    /// The store that the conformance kit tests. It has to be sound.
    static let subject = ConformanceSubject { host in
        let settings = try ServerSettings(settings(for: host.dataFolder, on: durable.get()))
        return .storage(PostgreSQLStorage(host, settings))
    }
}
