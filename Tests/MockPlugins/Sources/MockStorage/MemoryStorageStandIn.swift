import MailKernelAPI

/// Stands where the kit's `MemoryStoragePlugin` will be; this file goes when that is there.
enum MemoryStoragePlugin {
    struct Missing: Error, CustomStringConvertible {
        let description = "The reference storage is not written yet."
    }

    static func makeProvider(host: HostServices) throws -> Provider { throw Missing() }
}
