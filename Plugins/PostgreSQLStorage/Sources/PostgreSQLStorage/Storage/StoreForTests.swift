import MailKernelAPI

/// A store that several programs can have open, for a program that tests kill.
package func sharedStore(
    _ host: HostServices, connection: String, further: [String: String] = [:]
) throws -> any StorageBackend {
    var settings: [String: JSONValue] = ["connection": .string(connection)]
    if !further.isEmpty { settings["servers"] = .object(further.mapValues { .string($0) }) }
    return PostgreSQLStorage(host, try ServerSettings(PluginSettings(settings)))
}
