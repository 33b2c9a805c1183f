import FoundationEssentials
import Glibc
public import MailKernelAPI

/// What a program needs that works with one plugin until it is killed.
public enum CrashingProgram {
    /// The plugin's provider, made through its entry, as the kernel gets it; nil if it has none.
    public static func provider(
        in folder: String, answer: (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    ) throws -> Provider? {
        let call = ProviderCall(host: host(in: folder))
        withExtendedLifetime(call) {
            _ = answer(Unmanaged.passUnretained(call).toOpaque())
        }
        return try call.answer?.get()
    }

    public static func host(in folder: String) -> HostServices {
        let nothing = Nothing()
        return HostServices(
            pluginID: "crasher", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: nothing, dataFolder: URL(filePath: folder), clock: nothing, network: nothing)
    }

    /// Writes a line, at once and in one piece: the reader has to know what was confirmed before the end came.
    public static func say(_ words: String) {
        let line = Array((words + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// Lets no file grow beyond so many bytes, as on a full disk; nil lifts the limit.
    public static func limitFiles(to bytes: Int?) {
        // The write itself is to fail, and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes.map { rlim_t($0) } ?? rlim_t.max, rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}
