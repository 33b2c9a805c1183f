import CPostgreSQL
import MailKernelAPI

/// Where the store is, from the plugin's settings.
struct ServerSettings: Sendable {
    /// A connection string of libpq, with one or more hosts.
    private(set) var connection: String
    /// The schema in the database that holds the tables.
    let schema: String
    /// Where large blobs are kept; nil for the database.
    var s3: S3Settings?
    /// From the secret store. Without one, libpq looks in its own places, such as `~/.pgpass`.
    var password: Secret?
    /// The seconds to wait for an answer before the connection counts as lost.
    var patience: Double = 40
    /// The seconds between two looks at where accounts should be.
    var placeInterval = 0.5
    /// The name of the server among those of the store.
    private(set) var server = Self.home
    /// The servers besides this one, by their names: connection strings.
    private(set) var further: [String: String] = [:]

    /// The name of the server that `connection` leads to.
    static let home = "home"

    /// - Throws: a sentence about a setting that is missing or cannot be used.
    init(_ settings: PluginSettings) throws(SettingsProblem) {
        guard case .string(let connection) = settings["connection"], !connection.isEmpty else {
            throw SettingsProblem(
                "no server is set up: the setting “connection” is missing in "
                    + "plugins/org.mailkernel.postgresql.json in the configuration folder.")
        }
        self.connection = connection
        s3 = try settings["s3"].map(S3Settings.init)
        switch settings["schema"] {
        case .string(let name): schema = name
        case nil: schema = "mailkernel"
        default: throw SettingsProblem("the setting “schema” is not a string.")
        }
        guard Self.isPlain(schema) else {
            throw SettingsProblem(
                "the setting “schema” may contain only a–z, 0–9 and _, and must begin with a letter.")
        }
        try Self.checkOptions(of: connection)
        further = try Self.further(settings["servers"])
    }

    /// The same for one of the further servers.
    func settings(of server: String) -> ServerSettings {
        var settings = self
        settings.server = server
        settings.connection = further[server] ?? connection
        settings.password = nil
        return settings
    }

    /// What the secret store calls the password.
    var passwordName: String { server == Self.home ? "password" : "password-\(server)" }

    private static func further(_ value: JSONValue?) throws(SettingsProblem) -> [String: String] {
        guard let value else { return [:] }
        guard case .object(let values) = value else {
            throw SettingsProblem("the setting “servers” is not an object.")
        }
        var servers: [String: String] = [:]
        for (name, value) in values {
            guard isPlain(name), name != home, case .string(let connection) = value else {
                throw SettingsProblem(
                    "the setting “servers” must contain names of a–z, 0–9 and _, other than “home”, each with a "
                        + "connection string.")
            }
            try checkOptions(of: connection, "servers.\(name)")
            servers[name] = connection
        }
        return servers
    }

    /// The name is a part of statements.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= 63 else {
            return false
        }
        return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    private static func checkOptions(
        of connection: String, _ setting: String = "connection"
    ) throws(SettingsProblem) {
        guard let options = PQconninfoParse(connection, nil) else {
            throw SettingsProblem("the setting “\(setting)” is not a PostgreSQL connection string.")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let name = option.pointee.keyword {
            if String(cString: name) == "password", option.pointee.val != nil {
                throw SettingsProblem(
                    "the setting “\(setting)” must not contain a password. "
                        + (setting == "connection" ? "Enter it as the password, or save it" : "Save it")
                        + " with “mailkernel plugins secret org.mailkernel.postgresql "
                        + "\(setting == "connection" ? "password" : "password-NAME")”.")
            }
            option += 1
        }
    }
}

/// Why the plugin cannot be used, for the list of plugins.
struct SettingsProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
