import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Network
import PluginHost
import Store
import TestSupport

/// SeaweedFS with TLS on loopback, as the tests of the plugin start it, with an empty bucket.
struct BenchObjects {
    static let isInstalled = access(program.path, X_OK) == 0
    private static let program = Checkout.root.appending(path: ".build/python/bin/weed")
    private static let secret = "testsecret"

    let folder: TemporaryFolder
    private let port: Int
    private let process: Command

    init() async throws {
        folder = try TemporaryFolder()
        let scripts = Checkout.root.appending(path: "Tests/Servers")
        let made = try await Command.run(
            TestServers.python, ["-B", scripts.appending(path: "certificates.py").path, folder.url.path])
        guard made.status == 0 else { throw BenchError(description: made.errors) }
        var ports: Set<Int> = []
        while ports.count < 9 { ports.insert(try FreePort.find()) }
        let all = Array(ports)
        port = all[8]
        process = try Command(
            URL(filePath: "/bin/sh"),
            ["-c", Self.script, Self.program.path, folder.url.path] + all.map { "\($0)" })
        guard await process.line(containing: "ready\n") else {
            throw BenchError(description: "SeaweedFS does not start: \(await process.result().errors)")
        }
    }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.result()
    }

    var settings: JSONValue {
        [
            "endpoint": .string("https://127.0.0.1:\(port)"), "bucket": "mail", "accessKey": "test",
        ]
    }

    /// The plugin with the kernel's own network.
    func store(_ settings: PluginSettings, _ network: Network) async throws -> any StorageBackend {
        let plugin = try OpenedPlugin(at: Checkout.root.appending(path: "Plugins/PostgreSQLStorage"))
        let secrets = MemorySecrets()
        secrets.store(Secret(Self.secret), named: "s3")
        let host = HostServices(
            pluginID: plugin.manifest.id, log: PluginLog(least: .error) { _, _ in }, settings: settings,
            secrets: secrets, dataFolder: try folder.folder("store"), clock: WallClock(),
            network: network.access(for: plugin.manifest.id, hosts: ["127.0.0.1"]))
        guard case .storage(let backend) = try plugin.makeProvider(host: host) else {
            throw BenchError(description: "The plugin is of another kind.")
        }
        _ = try await backend.open()
        return backend
    }

    /// Sends and reads objects with curl alone, one after the other: what SeaweedFS gives on this machine.
    ///
    /// - Returns: the milliseconds of each, but for the first, which makes the connection.
    func plain(_ bytes: Data, count: Int) async throws -> (sent: Samples, read: Samples) {
        let file = folder.url.appending(path: "plain")
        try bytes.write(to: file)
        let result = try await Command.run(
            URL(filePath: "/bin/sh"),
            ["-c", Self.plain, folder.url.path, "https://127.0.0.1:\(port)/mail/plain", "\(count)"])
        let times = result.output.split(separator: "\n").compactMap { Double($0) }
        guard result.status == 0, times.count == 2 * (count + 1) else {
            throw BenchError(description: "curl: \(result.errors)")
        }
        var (sent, read) = (Samples(), Samples())
        for number in 1...count {
            sent.add(times[number] * 1_000)
            read.add(times[count + 1 + number] * 1_000)
        }
        return (sent, read)
    }

    private static let plain = """
        folder=$0 object=$1 count=$2
        ask() {
            curl -sS --fail --cacert "$folder/ca.pem" --aws-sigv4 aws:amz:us-east-1:s3 -u "test:\(secret)" \\
                -H "x-amz-content-sha256: UNSIGNED-PAYLOAD" -w '%{time_total}\n' "$@"
        }
        set --
        for number in $(seq 0 "$count"); do set -- "$@" -T "$folder/plain" -o /dev/null "$object$number"; done
        ask "$@"
        set --
        for number in $(seq 0 "$count"); do set -- "$@" -o /dev/null "$object$number"; done
        ask "$@"
        """

    /// Its orderly end takes half a minute. Telemetry is on by default, and each port has to be given.
    private static let script = """
        weed=$0 folder=$1
        cat >"$folder/s3.json" <<CONF
        {"identities": [{"name": "test", "credentials": [{"accessKey": "test", "secretKey": "\(secret)"}],
           "actions": ["Admin", "Read", "List", "Tagging", "Write"]}]}
        CONF
        "$weed" server -dir="$folder" -ip=127.0.0.1 -ip.bind=127.0.0.1 -volume.max=20 \\
            -master.volumeSizeLimitMB=256 -master.telemetry=false -master.electionTimeout=1s \\
            -master.port=$2 -master.port.grpc=$3 -volume.port=$4 -volume.port.grpc=$5 \\
            -filer -filer.port=$6 -filer.port.grpc=$7 -s3 -s3.port.iceberg=0 -s3.port.lance=0 \\
            -s3.port=$8 -s3.port.grpc=$9 -s3.port.https=${10} -s3.config="$folder/s3.json" \\
            -s3.cert.file="$folder/good.pem" -s3.key.file="$folder/good.key" \\
            </dev/null >"$folder/log" 2>&1 &
        server=$!
        trap 'kill -9 $server' EXIT
        trap 'exit 0' INT TERM
        empty=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
        for try in $(seq 200); do
            made=$(curl -s -o "$folder/answer" -w '%{http_code}' --cacert "$folder/ca.pem" -X PUT \\
                --aws-sigv4 aws:amz:us-east-1:s3 -u "test:\(secret)" -H "x-amz-content-sha256: $empty" \\
                "https://127.0.0.1:${10}/mail")
            [ "$made" = 200 ] && break
            sleep 0.2
        done
        [ "$made" = 200 ] && echo ready || { cat "$folder/answer" >&2; tail -n 5 "$folder/log" >&2; exit 1; }
        while kill -0 "$PPID" 2>/dev/null; do sleep 0.2; done
        """
}
