import FoundationEssentials

/// The ports of the last time.
struct ServerMemory: Sendable {
    struct Ports: Codable, Sendable {
        var http: Int?
        var https: Int?
    }

    private let file: PrivateFile<Ports>

    init(folder: URL) {
        file = PrivateFile(folder.appending(path: "ports.json"), empty: Ports())
    }

    /// None if they cannot be read: they are a convenience.
    var last: Ports { (try? file.read()) ?? Ports() }

    func open(
        _ port: LocalServerConfiguration.Port, on addresses: [String], last: KeyPath<Ports, Int?>
    ) throws(LocalServerError) -> [LoopbackSocket] {
        switch port {
        case .number(let number): return try LoopbackSocket.listen(on: addresses, port: number)
        case .any:
            if let last = self.last[keyPath: last], (1...65535).contains(last),
                let sockets = try? LoopbackSocket.listen(on: addresses, port: last)
            {
                return sockets
            }
            return try LoopbackSocket.listen(on: addresses, port: 0)
        }
    }

    func save(_ ports: Ports) throws(LocalServerError) {
        try file.change { $0 = Ports(http: ports.http ?? $0.http, https: ports.https ?? $0.https) }
    }
}
