import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// A primary with two synchronous standbys, of which one has to confirm each commit, set up as the documentation says.
/// Whichever is promoted, the others follow it.
struct BenchCluster {
    private let folder: TemporaryFolder
    private let process: Command

    init() async throws {
        folder = try TemporaryFolder()
        process = try Command(
            URL(filePath: "/bin/sh"),
            ["-c", Self.common + Self.begin, BenchServer.programs, folder.url.path])
        guard await process.line(containing: "ready\n") else {
            throw BenchError(description: "The servers do not start: \(await process.result().errors)")
        }
    }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.result()
    }

    var settings: PluginSettings {
        let hosts = Array(repeating: folder.url.path, count: 3).joined(separator: ",")
        return PluginSettings([
            "connection": .string("host=\(hosts) port=1,2,3 user=mail dbname=postgres")
        ])
    }

    /// Kills the primary and promotes the standby that has the most, at once.
    func failOver() async throws { try await run(Self.failover) }

    /// The killed server becomes a standby of the new primary. Returns when both standbys follow it.
    func mend() async throws { try await run(Self.mending) }

    private func run(_ script: String) async throws {
        let result = try await Command.run(
            URL(filePath: "/bin/sh"), ["-c", Self.common + script, BenchServer.programs, folder.url.path])
        guard result.status == 0 else { throw BenchError(description: result.errors) }
    }

    /// The servers' numbers are their ports, too. PostgreSQL refuses to run as root.
    private static let common = """
        programs=$0 folder=$1 as=
        [ "$(id -u)" = 0 ] && as="setpriv --reuid=postgres --regid=postgres --clear-groups"
        cd "$folder" || exit 1
        ask() { "$programs/psql" -h "$folder" -p "$1" -U mail -Atqc "$2" postgres 2>>log; }
        start() {
            $as "$programs/pg_ctl" -D "$folder/$1" -l "$folder/$1.log" -w -s -o "-c port=$1 -c listen_addresses='' \\
                -c unix_socket_directories='$folder' -c wal_retrieve_retry_interval=100ms \\
                -c wal_sender_timeout=4s -c wal_receiver_timeout=2s -c synchronous_standby_names='ANY 1 (n1, n2, n3)' \\
                -c primary_conninfo='host=$folder,$folder,$folder port=1,2,3 user=mail dbname=postgres \\
                target_session_attrs=read-write connect_timeout=2 application_name=n$1'" start </dev/null >>log 2>&1
        }
        follow() {
            for try in $(seq 300); do
                [ "$(ask "$1" "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")" = 2 ] && return
                sleep 0.1
            done
            return 1
        }

        """

    private static let begin = """
        [ -z "$as" ] || chown postgres: "$folder"
        stop() { for n in 1 2 3; do $as "$programs/pg_ctl" -D "$folder/$n" -s -m immediate stop >>log 2>&1; done; }
        trap stop EXIT
        trap 'exit 0' INT TERM
        $as env LC_ALL=C "$programs/initdb" -D "$folder/1" -U mail --auth=trust -E UTF8 --locale=C </dev/null >>log 2>&1 &&
        printf "wal_log_hints = on\\nwal_keep_size = 512MB\\nrecovery_init_sync_method = syncfs\\n" >>"$folder/1/postgresql.conf" &&
        start 1 &&
        for n in 2 3; do
            $as "$programs/pg_basebackup" -d "host=$folder port=1 user=mail" -D "$folder/$n" -X stream -c fast \\
                </dev/null >>log 2>&1 && $as touch "$folder/$n/standby.signal" && start $n || break
        done && follow 1 && echo ready || { cat log >&2; exit 1; }
        while kill -0 "$PPID" 2>>log; do sleep 0.2; done
        """

    private static let failover = """
        best=0 new=0
        for n in 1 2 3; do [ "$(ask $n 'SELECT pg_is_in_recovery()')" = f ] && old=$n; done
        main=$(head -n 1 "$old/postmaster.pid")
        kill -9 "$main" $(cat /proc/"$main"/task/"$main"/children)
        for n in 1 2 3; do
            [ $n = "$old" ] && continue
            has=$(ask $n "SELECT (coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::bigint")
            [ "${has:-0}" -gt "$best" ] && best=$has new=$n
        done
        echo "$old" >killed && echo "$new" >primary
        $as "$programs/pg_ctl" -D "$folder/$new" -s -w promote >>log 2>&1 || { cat log >&2; exit 1; }
        """

    /// Without the checkpoint, pg_rewind sees the old timeline and does nothing.
    private static let mending = """
        old=$(cat killed) new=$(cat primary)
        rm -f "$old/postmaster.pid" "$old/standby.signal" ".s.PGSQL.$old.lock"
        ask "$new" CHECKPOINT &&
        $as "$programs/pg_rewind" -D "$folder/$old" \\
            --source-server="host=$folder port=$new user=mail dbname=postgres" --no-sync >>log 2>&1 &&
        $as touch "$folder/$old/standby.signal" && start "$old" && follow "$new" || { cat log >&2; exit 1; }
        """
}
