import MailKernelAPI
import MailKernelConformance

/// A sound store that offers no more than the core.
struct BareStorage: ForwardingStorage {
    let sound: MemoryStorage

    var parts: StorageParts { StorageParts() }
}
