import MailKernelAPI

/// A store that several programs can have open, for a program that tests kill.
package func sharedStore(_ host: HostServices, connection: String) throws -> any StorageBackend {
    let settings = try ServerSettings(PluginSettings(["connection": .string(connection)]))
    return PostgreSQLStorage(host, settings)
}
