import FoundationEssentials
import Glibc
public import MailKernelAPI

/// The program's log, on standard error: time, level, who, what.
public struct LogOutput: Sendable {
    public let least: PluginLog.Level
    /// Where lines go instead of standard error.
    private let take: (@Sendable (String) -> Void)?

    public init(least: PluginLog.Level, to take: (@Sendable (String) -> Void)? = nil) {
        self.least = least
        self.take = take
    }

    public func write(_ level: PluginLog.Level, _ who: String, _ text: String) {
        guard level <= least else { return }
        // One call per line, so that lines of several threads do not mix.
        let line = "\(Date().formatted(.iso8601)) \(level) \(who): \(text)\n"
        if let take { return take(line) }
        _ = line.utf8.withContiguousStorageIfAvailable {
            Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
        }
    }

    func pluginLog(_ pluginID: String) -> PluginLog {
        PluginLog(least: least) { level, text in write(level, pluginID, text) }
    }
}
