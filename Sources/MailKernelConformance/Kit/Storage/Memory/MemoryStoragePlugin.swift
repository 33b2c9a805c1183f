public import MailKernelAPI

/// The reference store as a plugin. Providers on the same data folder share what they hold for as
/// long as the process lives, as two runs of the program share a disk.
public struct MemoryStoragePlugin: MailKernelPlugin {
    private static let disks = PerFolder<MemoryStorage.Disk>()

    public static func makeProvider(host: HostServices) -> Provider {
        .storage(MemoryStorage(on: disks.value(for: host.dataFolder) { MemoryStorage.Disk() }))
    }
}
