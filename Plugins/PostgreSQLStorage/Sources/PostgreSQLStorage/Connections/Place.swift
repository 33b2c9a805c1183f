import CPostgreSQL
import MailKernelAPI

/// One of the servers that the settings name.
struct Place: Sendable {
    /// Those of the connection string.
    private let common: [String: String]
    /// Options of libpq that name this server alone; none if the settings leave the choice to libpq.
    private let own: [String: String]

    /// Whether any server will do that the connection string asks for.
    var isChosenByLibrary: Bool { common["target_session_attrs"] != nil || own.isEmpty }

    /// Several hosts are tried one by one, so that each can be compared with the others.
    static func all(in settings: ServerSettings) -> [Place] {
        let options = options(of: settings.connection)
        let hosts = parts(options["host"])
        let addresses = parts(options["hostaddr"])
        let ports = parts(options["port"])
        let count = max(hosts.count, addresses.count)
        // What does not match is libpq's to explain.
        let isEven = [hosts.count, addresses.count].allSatisfy { $0 == 0 || $0 == count }
        guard count > 0, isEven, ports.count <= 1 || ports.count == count else {
            return [Place(common: options, own: [:])]
        }
        return (0..<count).map { number in
            var own: [String: String] = [:]
            if !hosts.isEmpty { own["host"] = hosts[number] }
            if !addresses.isEmpty { own["hostaddr"] = addresses[number] }
            if let port = ports.count > 1 ? ports[number] : ports.first { own["port"] = port }
            return Place(common: options, own: own)
        }
    }

    private static func parts(_ list: String?) -> [String] {
        list.map { $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } } ?? []
    }

    private static func options(of connection: String) -> [String: String] {
        guard let parsed = PQconninfoParse(connection, nil) else { return [:] }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let name = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: name)] = String(cString: value) }
            option += 1
        }
        return options
    }

    /// What libpq is given to connect to this server.
    func options(_ password: Secret?) -> [(String, String)] {
        var all = [
            "connect_timeout": "3", "sslmode": "verify-full",
            // A named server is asked itself, and the answer compared with those of the others.
            "target_session_attrs": own.isEmpty ? "read-write" : "any",
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "15000",
        ]
        all.merge(common) { _, chosen in chosen }
        all.merge(own) { _, one in one }
        all.merge(["client_encoding": "UTF8", "application_name": "mailkernel"]) { _, ours in ours }
        if let password { all["password"] = password.revealed }
        return all.map { ($0.key, $0.value) }
    }
}
