import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance

@testable import PostgreSQLStorage

/// A primary with two synchronous standbys, of which one has to confirm each commit. Whichever server is promoted, the
/// others follow it by themselves.
final class Cluster: Sendable {
    static let shared = Result { try Cluster() }

    /// The servers' numbers are their ports, too.
    static let servers = [1, 2, 3]

    let folder: String

    init() throws {
        folder = try TestServer.newFolder()
        try TestServer.start(Self.script, [TestServer.programs, folder])
        for standby in [2, 3] { try awaitStreaming(standby, from: 1) }
    }

    /// For clients: any of the servers that is the primary.
    var connection: String { "\(place(of: Self.servers)) user=mail dbname=postgres" }

    private func place(of servers: [Int]) -> String {
        let hosts = servers.map { _ in folder }.joined(separator: ",")
        return "host=\(hosts) port=\(servers.map { "\($0)" }.joined(separator: ","))"
    }

    private static let script = """
        programs=$0 folder=$1
        \(TestServer.unprivileged)
        \(functions)
        trap 'for n in 1 2 3; do $as "$programs/pg_ctl" -D "$folder/$n" -s -m immediate stop; done; rm -rf "$folder"' EXIT
        trap '' INT TERM HUP
        cd "$folder" && $as env LC_ALL=C "$programs/initdb" -D "$folder/1" -U mail --auth=trust -E UTF8 --locale=C --no-sync </dev/null &&
        # In the file, because pg_rewind starts the server without options. A server that was killed syncs its folder file
        # by file otherwise, which takes longer on a busy disk than the store waits.
        printf 'wal_log_hints = on\nwal_keep_size = 512MB\nrecovery_init_sync_method = syncfs\n' >>"$folder/1/postgresql.conf" &&
        start 1 &&
        for n in 2 3; do
            $as "$programs/pg_basebackup" -d "host=$folder port=1 user=mail" -D "$folder/$n" -X stream --no-sync -c fast </dev/null &&
            $as touch "$folder/$n/standby.signal" && start $n
        done && echo y >&0 || echo n >&0
        read -r end
        """

    private static let functions = """
        start() {
            $as "$programs/pg_ctl" -D "$folder/$1" -l "$folder/$1.log" -w -s -o "-c port=$1 -c listen_addresses='' \\
                -c unix_socket_directories='$folder' -c max_connections=100 -c shared_buffers=64MB \\
                -c wal_retrieve_retry_interval=100ms \\
                -c wal_sender_timeout=4s -c wal_receiver_timeout=2s -c synchronous_standby_names='ANY 1 (n1, n2, n3)' \\
                -c primary_conninfo='host=$folder,$folder,$folder port=1,2,3 user=mail dbname=postgres \\
                target_session_attrs=read-write connect_timeout=2 application_name=n$1'" start </dev/null >/dev/null 2>&1
        }

        """

    private func run(_ script: String, _ number: Int, _ other: Int = 0) throws {
        let prologue = "programs=$0 folder=$1 n=$2 other=$3\n" + TestServer.unprivileged + Self.functions
        try TestServer.run(
            prologue + "cd \"$folder\"\n" + script, [TestServer.programs, folder, "\(number)", "\(other)"])
    }
}

// MARK: What happens to a server

extension Cluster {
    func start(_ server: Int) throws { try run("start $n", server) }

    func stop(_ server: Int) throws {
        try run("$as \"$programs/pg_ctl\" -D \"$folder/$n\" -s -m fast stop", server)
    }

    func promote(_ server: Int) throws {
        try run("$as \"$programs/pg_ctl\" -D \"$folder/$n\" -s -w promote", server)
    }

    /// All of its processes, at once.
    func signal(_ server: Int, _ signal: CInt) throws {
        for process in try processes(of: server) { kill(process, signal) }
    }

    /// Returns once they are gone: a server does not start beside remains of another.
    func kill9(_ server: Int) throws {
        let processes = try processes(of: server)
        for process in processes { kill(process, SIGKILL) }
        for process in processes {
            try blockingPolling(until: "process \(process) ends", everyMicroseconds: 5_000) {
                let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
                return state?.contains(") Z") ?? true
            }
        }
        // Its number can still be that of a process that ended and was not waited for.
        try run("rm -f \"$n/postmaster.pid\" \".s.PGSQL.$n.lock\"", server)
    }

    /// A server that was killed or replaced follows the primary.
    func rejoin(_ server: Int, to primary: Int) throws {
        // Without the checkpoint, pg_rewind sees the old timeline and does nothing.
        try execute("CHECKPOINT", on: primary)
        try run(
            """
            rm -f "$n/standby.signal"
            $as "$programs/pg_rewind" -D "$folder/$n" --source-server="host=$folder port=$other user=mail dbname=postgres" \\
                --no-sync >"$folder/rewind.log" 2>&1 &&
            $as touch "$folder/$n/standby.signal" && start $n
            """, server, primary)
    }

    private func processes(of server: Int) throws -> [Int32] {
        let file = "\(folder)/\(server)/postmaster.pid"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        guard let main = text.split(separator: "\n").first.flatMap({ Int32($0) }) else { return [] }
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        return [main] + all.filter { Self.parent(of: $0) == main }
    }

    private static func parent(of process: Int32) -> Int32? {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // Behind the name, which may contain anything: the state and the parent.
        let words = text?.split(separator: ")").last?.split(separator: " ")
        return words.flatMap { $0.count > 1 ? Int32($0[1]) : nil }
    }
}

// MARK: The state of the servers

extension Cluster {
    func connect(to server: Int) throws -> Connection {
        let text = "host=\(folder) port=\(server) user=mail dbname=postgres target_session_attrs=any"
        return try ServerSettings(PluginSettings(["connection": .string(text)])).connect()
    }

    func execute(_ script: String, on server: Int) throws { try connect(to: server).execute(script) }

    /// The standby that has the most: only it has every commit that was confirmed.
    func mostAdvanced(of servers: [Int]) throws -> Int {
        let received = try servers.map { server in
            let position = try connect(to: server).first(
                "SELECT (coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::bigint",
                once: true
            ) { $0.int(0) }
            return (server, position ?? 0)
        }
        return received.max { $0.1 < $1.1 }?.0 ?? 0
    }

    func awaitStreaming(_ standby: Int, from primary: Int) throws {
        try blockingPolling(until: "server \(standby) follows \(primary)", everyMicroseconds: 50_000) {
            try connect(to: primary).first(
                "SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming')",
                [.text("n\(standby)")], once: true
            ) { $0.flag(0) } == true
        }
    }

    func primary() throws -> Int {
        for server in Self.servers {
            guard let connection = try? connect(to: server) else { continue }
            if !connection.isReadOnly { return server }
        }
        throw TestServer.CannotStart(description: "there is no primary")
    }

    /// Kills the primary and promotes the better one of its standbys. Returns the old and the new one.
    func failOver() throws -> (old: Int, new: Int) {
        let old = try primary()
        try kill9(old)
        let new = try mostAdvanced(of: Self.servers.filter { $0 != old })
        try promote(new)
        return (old, new)
    }

    func mend(_ old: Int, _ new: Int) throws {
        try rejoin(old, to: new)
        for standby in Self.servers where standby != new { try awaitStreaming(standby, from: new) }
    }
}
