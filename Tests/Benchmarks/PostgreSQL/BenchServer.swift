import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// A PostgreSQL with Debian's settings, on a socket and with TLS on loopback. Commits are on the disk when it confirms them.
struct BenchServer {
    static let isInstalled = access("\(programs)/postgres", X_OK) == 0
    static let programs = "/usr/lib/postgresql/15/bin"

    /// How the store can reach it.
    enum Way: String {
        case socket = "PostgreSQL over a socket"
        case tls = "PostgreSQL over TLS"

        static let all = [socket, tls]
    }

    private let folder: TemporaryFolder
    private let port: Int
    private let process: Command

    /// - Parameter connections: how many there may be at once; Debian allows 100.
    init(connections: Int = 100) async throws {
        folder = try TemporaryFolder()
        port = Int.random(in: 20_000..<30_000)
        process = try Command(
            URL(filePath: "/bin/sh"),
            ["-c", Self.script, Self.programs, folder.url.path, "\(port)", "\(connections)"])
        guard await process.line(containing: "ready\n") else {
            throw BenchError(description: "PostgreSQL does not start: \(await process.result().errors)")
        }
    }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.result()
    }

    func settings(_ way: Way, schema: String) -> PluginSettings {
        let place =
            switch way {
            case .socket: "host=\(folder.url.path)"
            case .tls: "host=localhost sslrootcert=\(folder.url.path)/data/server.crt"
            }
        return PluginSettings([
            "connection": .string("\(place) port=\(port) user=mail dbname=postgres"),
            "schema": .string(schema),
        ])
    }

    /// What the server does by itself within a minute or so.
    func vacuum() async throws {
        let words = ["-h", folder.url.path, "-p", "\(port)", "-U", "mail", "-q", "-z", "postgres"]
        let result = try await Command.run(URL(filePath: "\(Self.programs)/vacuumdb"), words)
        guard result.status == 0 else { throw BenchError(description: "vacuumdb: \(result.errors)") }
    }

    /// PostgreSQL refuses to run as root.
    private static let script = """
        programs=$0 folder=$1 port=$2 connections=$3 as=
        [ "$(id -u)" = 0 ] && { as="setpriv --reuid=postgres --regid=postgres --clear-groups"; chown postgres: "$folder"; }
        cd "$folder" && $as env LC_ALL=C "$programs/initdb" -D data -U mail --auth=trust -E UTF8 --locale=C >log 2>&1 &&
        $as openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \\
            -addext subjectAltName=DNS:localhost -keyout data/server.key -out data/server.crt 2>>log || exit 1
        $as "$programs/postgres" -D data -k "$folder" -p "$port" -c max_connections="$connections" -c ssl=on \\
            -c listen_addresses=localhost 2>>log &
        server=$!
        trap 'kill -INT $server; wait $server' EXIT
        trap 'exit 0' INT TERM
        for try in $(seq 100); do
            "$programs/pg_isready" -q -h "$folder" -p "$port" && { echo ready; break; }
            sleep 0.1
        done
        wait $server
        """
}
