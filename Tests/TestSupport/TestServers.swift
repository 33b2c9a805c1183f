import Foundation

/// The servers of `Tests/Servers`, on loopback, with certificates of their own.
public final class TestServers: Sendable {
    /// The same for all tests of a process: they keep nothing from each other but a list of received mail.
    public static let shared = Task { try await TestServers() }

    public let folder: TemporaryFolder
    private let process: Command
    private let ports: [String: Int]

    private init() async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        guard made.status == 0 else { throw CannotStart(description: made.errors) }
        folder = try TemporaryFolder()
        let scripts = Checkout.root.appending(path: "Tests/Servers")
        let certificates = try await Command.run(
            Self.python, [scripts.appending(path: "certificates.py").path, folder.url.path])
        guard certificates.status == 0 else { throw CannotStart(description: certificates.errors) }
        process = try Command(Self.python, [scripts.appending(path: "serve.py").path, folder.url.path])
        guard await process.line(containing: "}\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        ports = try JSONDecoder().decode([String: Int].self, from: Data(process.outputSoFar.utf8))
    }

    deinit { process.signal(SIGTERM) }

    /// The Python that all of them run on.
    public static let python = Checkout.root.appending(path: ".build/python/bin/python")

    /// The authority that vouches for those that can be trusted.
    public var authority: URL { folder.url.appending(path: "ca.pem") }

    public func port(_ name: String) -> Int { ports[name] ?? 0 }

    public func url(_ name: String, _ path: String, host: String = "localhost") throws -> URL {
        guard let url = URL(string: "https://\(host):\(port(name))\(path)") else {
            throw CannotStart(description: "no address: \(path)")
        }
        return url
    }
}

/// A real web server with files of its own.
public final class Nginx: Sendable {
    public let folder: TemporaryFolder
    public let port: Int
    private let process: Command

    /// - Parameter files: contents by name.
    public init(_ servers: TestServers, files: [String: Data]) async throws {
        folder = try TemporaryFolder()
        let www = try folder.folder("www")
        for (name, contents) in files { try contents.write(to: www.appending(path: name)) }
        port = try FreePort.find()
        process = try Command(
            Checkout.root.appending(path: "Tests/Servers/nginx.sh"),
            [folder.url.path, "\(port)", servers.folder.url.path, www.path])
        try await FreePort.waitForServer(on: port, of: process)
    }

    deinit { process.signal(SIGTERM) }
}

public enum FreePort {
    /// A port that was free a moment ago.
    public static func find() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard isBound else { throw CannotStart(description: "no port is free") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    /// Waits until something listens there.
    static func waitForServer(on port: Int, of process: Command) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if canConnect(port) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        process.signal(SIGKILL)
        throw CannotStart(description: "nothing listens on \(port): \(await process.result().errors)")
    }

    private static func canConnect(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }
}
