import CPluginHost
public import FoundationEssentials
public import MailKernelAPI

/// One plugin, opened to be tried out: its library is checked as at a start, and it can be asked for
/// any number of providers.
public struct OpenedPlugin: Sendable {
    public let manifest: PluginManifest
    private let library: PluginLibrary

    /// - Parameter folder: the folder with `plugin.json`.
    public init(at folder: URL) throws(Refusal) {
        let candidate = PluginFinder.examine(folder)
        if let refusal = candidate.refusal { throw refusal }
        guard let manifest = candidate.manifest else { throw .noManifest }
        self.manifest = manifest
        CrashNote.set("mailkernel: the plugin “\(manifest.id)” crashed while it was being loaded.")
        defer { CrashNote.clear() }
        library = try PluginLibrary(opening: folder.appending(path: manifest.library).path)
    }

    public func makeProvider(host: HostServices) throws(Refusal) -> Provider {
        try library.makeProvider(host: host, within: 10, unless: { false })
    }
}

/// A last line on standard error should foreign code crash the process.
public enum CrashNote {
    public static func set(_ sentence: String) { crash_note_set(sentence + "\n") }
    public static func clear() { crash_note_clear() }
}
