/// The program's log, under the plugin's name.
///
/// Interpolated text is replaced by `<private>` unless it is marked as public, so that users can attach a log
/// to a bug report:
///
/// ```swift
/// log.info("moved \(count) messages to \(mailbox.name)")           // moved 3 messages to <private>
/// log.error("the server answered \(public: code)")                 // the server answered NO
/// ```
public struct PluginLog: Sendable {
    /// How urgent a line is. The user chooses the least urgent level to write.
    public enum Level: Int, Sendable, Codable, CaseIterable, Comparable {
        /// A function of the plugin failed, and the user may notice.
        case error
        /// Something is wrong but the plugin continues, such as a setting that it ignores.
        case warning
        /// A normal event worth knowing about.
        case info
        /// A detail for the plugin's developers.
        case debug

        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private let least: Level
    private let write: @Sendable (Level, String) -> Void

    /// - Parameters:
    ///   - least: less urgent lines are dropped before their text is made.
    ///   - write: receives each finished line. It may be called from any thread.
    public init(least: Level, write: @escaping @Sendable (Level, String) -> Void) {
        self.least = least
        self.write = write
    }

    /// Logs a failure. The text is made only if it is written.
    public func error(_ message: @autoclosure () -> LogMessage) { log(.error, message) }
    /// Logs a problem that the plugin can continue with. The text is made only if it is written.
    public func warning(_ message: @autoclosure () -> LogMessage) { log(.warning, message) }
    /// Logs a normal event. The text is made only if it is written.
    public func info(_ message: @autoclosure () -> LogMessage) { log(.info, message) }
    /// Logs a detail for developers. The text is made only if it is written.
    public func debug(_ message: @autoclosure () -> LogMessage) { log(.debug, message) }

    private func log(_ level: Level, _ message: () -> LogMessage) {
        guard level <= least else { return }
        write(level, message().text)
    }
}

/// A line for the log. Interpolated text is masked unless it is marked as public.
public struct LogMessage: Sendable, ExpressibleByStringInterpolation {
    /// The line as it is written, with private text masked.
    public let text: String

    public init(stringLiteral value: String) {
        text = value
    }

    public init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    /// Masks interpolated values. Plugins use it through string interpolation only.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }
        /// Shows a whole number: it reveals nothing about a person.
        public mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
        /// Shows a decimal number: it reveals nothing about a person.
        public mutating func appendInterpolation(_ number: some BinaryFloatingPoint) { text += "\(number)" }
        /// Shows `true` or `false`: it reveals nothing about a person.
        public mutating func appendInterpolation(_ flag: Bool) { text += "\(flag)" }
        /// Masks any other value.
        public mutating func appendInterpolation(_ value: some Any) { text += "<private>" }
        /// Shows a value that is certainly not about a person: a host name from the manifest, an error code.
        public mutating func appendInterpolation(public value: some CustomStringConvertible) {
            // Foreign text must not be able to forge lines of the log or to steer a terminal.
            for scalar in value.description.unicodeScalars {
                let isControl = scalar.properties.generalCategory == .control
                text.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
            }
        }
    }
}
