import Foundation
import FoundationNetworking
import Glibc
import MailKernelAPI
import MailKernelConformance

@testable import PostgreSQLStorage

/// A SeaweedFS of the tests' own, on loopback. It ends with the tests.
struct S3Server {
    static let shared = Result { try S3Server() }
    static let isNotInstalled = "SeaweedFS is not installed (Tests/Tools/python-env)."
    static var isInstalled: Bool { TestServer.isInstalled && access(python + "/weed", X_OK) == 0 }

    static let environment =
        (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }.path + "/.build/python"
    private static let python = environment + "/bin"

    let folder: String
    private let ports: [Int]

    init() throws {
        folder = try TestServer.newFolder()
        ports = try Self.freePorts(8)
        try start()
    }

    /// Starts it, or starts it again after `kill`.
    func start() throws {
        try TestServer.start(Self.script, [Self.python, folder] + ports.map(String.init))
    }

    /// As a power cut would end it.
    func kill() throws {
        let id = try String(contentsOfFile: folder + "/pid", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
        _ = Glibc.kill(pid_t(id) ?? 0, SIGKILL)
    }

    // Telemetry is on by default. Every port is given, so that two servers on a machine do not collide.
    private static let script = """
        python=$0 folder=$1
        cat >"$folder/s3.json" <<CONF
        {"identities": [
          {"name": "test", "credentials": [{"accessKey": "test", "secretKey": "testsecret"}],
           "actions": ["Admin", "Read", "List", "Tagging", "Write"]},
          {"name": "reader", "credentials": [{"accessKey": "reader", "secretKey": "readersecret"}],
           "actions": ["Read:mail", "List:mail"]}]}
        CONF
        "$python/weed" server -dir="$folder" -ip=127.0.0.1 -ip.bind=127.0.0.1 -volume.max=20 \\
            -master.volumeSizeLimitMB=256 -master.telemetry=false -master.electionTimeout=1s \\
            -master.port=$2 -master.port.grpc=$3 -volume.port=$4 -volume.port.grpc=$5 \\
            -filer -filer.port=$6 -filer.port.grpc=$7 -s3 -s3.port.iceberg=0 -s3.port.lance=0 \\
            -s3.port=$8 -s3.port.grpc=$9 -s3.config="$folder/s3.json" </dev/null >"$folder/log" 2>&1 &
        server=$!
        echo $server >"$folder/pid"
        trap 'kill -9 $server; rm -rf "$folder"' EXIT
        trap '' INT TERM HUP
        for try in $(seq 100); do
            "$python/python" -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$8/status')" 2>/dev/null &&
                break
            kill -0 $server || try=100
            [ "$try" = 100 ] && break
            sleep 0.1
        done
        [ "$try" = 100 ] && echo n >&0 || echo y >&0
        read -r end
        """

    /// Ports that were free a moment ago, each another one.
    private static func freePorts(_ count: Int) throws -> [Int] {
        let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets { close(socket) } }
        return try sockets.map { socket in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
                }
            }
            guard isBound else { throw TestServer.CannotStart(description: "no port is free") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    // MARK: What the store is given

    var host: HostServices { host() }

    func host(
        secret: String? = "testsecret", clock: any HostClock = RealClock(),
        network: any PluginNetwork = PlainNetwork(), dataFolder: URL = FileManager.default.temporaryDirectory
    ) -> HostServices {
        let secrets = MemorySecrets()
        if let secret { secrets.store(Secret(secret), named: "s3") }
        return HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: secrets, dataFolder: dataFolder, clock: clock, network: network)
    }

    func settings(
        bucket: String = "mail", key: String = "test", threshold: Int = 1 << 20
    ) throws -> S3Settings {
        var settings = try S3Settings([
            "endpoint": .string("https://127.0.0.1:\(ports[6])"), "bucket": .string(bucket),
            "accessKey": .string(key),
        ])
        settings.threshold = threshold
        return settings
    }

    /// Made if it is not there.
    func client(bucket: String = "mail") async throws -> S3Client {
        let client = S3Client(
            try settings(bucket: bucket), secretKey: Secret("testsecret"), network: PlainNetwork(),
            clock: RealClock())
        if bucket == "mail" {
            _ = try? await client.send(.init(method: "PUT", body: Data(), purpose: "create the bucket"))
        }
        return client
    }
}

/// The kernel's network as far as S3 needs it, without encryption: that is the kernel's part.
struct PlainNetwork: OfflineNetwork {
    /// Changes a request's body on its way.
    var damage: (@Sendable (Data) -> Data)?

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        do {
            var address = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            address?.scheme = "http"
            guard let url = address?.url else { throw URLError(.badURL) }
            var sent = URLRequest(url: url)
            sent.httpMethod = request.method
            sent.cachePolicy = .reloadIgnoringLocalCacheData
            for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
            if let source = request.body {
                let body = try await source.read(at: 0, count: source.size)
                sent.httpBody = damage?(body) ?? body
            }
            let prepared = sent
            // A canceled request of URLSession can end the process.
            let (body, answer) = try await Task.detached {
                try await URLSession.shared.data(for: prepared)
            }.value
            guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            var headers: [String: String] = [:]
            for (name, value) in answer.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
            var response = HTTPResponse(status: answer.statusCode, headers: headers, body: Data())
            if (200..<300).contains(answer.statusCode) {
                try await sink.write(body)
            } else {
                response.body = body
            }
            return response
        } catch {
            if Task.isCancelled { throw .cancelled }
            throw .unreachable(host: "127.0.0.1", reason: "\(error)")
        }
    }
}
