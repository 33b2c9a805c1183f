import MailKernelAPI

/// Storage in PostgreSQL, as a plugin. Without a server in its settings it cannot be loaded, and another store is used.
struct PostgreSQLPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) throws -> Provider {
        .storage(PostgreSQLStorage(host, try ServerSettings(host.settings)))
    }
}
