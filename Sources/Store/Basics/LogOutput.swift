import FoundationEssentials
import Glibc
import MailKernelAPI

/// The program's log, on standard error: time, level, who, what.
package struct LogOutput: Sendable {
    package let least: PluginLog.Level
    /// Where lines go instead of standard error.
    private let take: (@Sendable (String) -> Void)?

    package init(least: PluginLog.Level, to take: (@Sendable (String) -> Void)? = nil) {
        self.least = least
        self.take = take
    }

    package func write(_ level: PluginLog.Level, _ who: String, _ text: String) {
        guard level <= least else { return }
        // One call per line, so that lines of several threads do not mix.
        let line = "\(Date().formatted(.iso8601)) \(level) \(who): \(text.asLine)\n"
        if let take { return take(line) }
        _ = line.utf8.withContiguousStorageIfAvailable {
            Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
        }
    }

    package func pluginLog(_ pluginID: String) -> PluginLog {
        PluginLog(least: least) { level, text in write(level, pluginID, text) }
    }
}

extension String {
    private static let longestLine = 8_000

    /// On one line, so that text from plugins and servers can neither forge log entries nor control a terminal.
    fileprivate var asLine: String {
        let isPlain =
            utf8.count <= Self.longestLine && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != 0xc2 }
        if isPlain { return self }
        var line = UnicodeScalarView()
        for scalar in unicodeScalars.prefix(Self.longestLine) {
            line.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return String(line)
    }
}
