public import MailKernelAPI

/// The reference provider of models, as a plugin.
///
/// Its settings, all optional: `{"downloadSeconds": 3, "downloaded": true, "says": {"reply": "Yes."}}`.
/// A download takes that long by the host's clock; `downloaded` begins with every model in place;
/// `says` gives the text to answer when the instruction contains the key, for what the reference
/// cannot think of itself.
///
/// Providers made for the same data folder keep the same models.
public struct MemoryModelPlugin: MailKernelPlugin {
    private static let shelves = PerFolder<MemoryModelShelf>()

    public static func makeProvider(host: HostServices) -> Provider {
        .model(modelProvider(host: host))
    }

    /// The same with its own type, for tests that build on it.
    public static func modelProvider(host: HostServices) -> MemoryModelProvider {
        let shelf = shelves.value(for: host.dataFolder) {
            MemoryModelShelf(isFull: host.settings["downloaded"]?.boolValue ?? false)
        }
        return MemoryModelProvider(
            shelf: shelf, clock: host.clock,
            downloadSeconds: host.settings["downloadSeconds"]?.numberValue ?? 0,
            says: (host.settings["says"]?.objectValue ?? [:]).compactMapValues(\.stringValue))
    }
}
