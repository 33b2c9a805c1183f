import MailKernelAPI

/// Storage in SQLite, as a plugin.
struct SQLitePlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .storage(SQLiteStorage(host))
    }
}
