/// The program's log, under the plugin's name.
///
/// Text that is interpolated is replaced by `<private>` unless it is marked as public, so that a
/// log can be attached to a bug report:
///
/// ```swift
/// log.info("moved \(count) messages to \(mailbox.name)")           // moved 3 messages to <private>
/// log.error("the server answered \(public: code)")                 // the server answered NO
/// ```
public struct PluginLog: Sendable {
    public enum Level: Int, Sendable, Codable, CaseIterable, Comparable {
        case error, warning, info, debug

        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private let least: Level
    private let write: @Sendable (Level, String) -> Void

    /// - Parameters:
    ///   - least: messages less urgent than this are dropped before their text is made.
    ///   - write: takes one finished line. It may be called from any thread.
    public init(least: Level, write: @escaping @Sendable (Level, String) -> Void) {
        self.least = least
        self.write = write
    }

    public func error(_ message: @autoclosure () -> LogMessage) { log(.error, message) }
    public func warning(_ message: @autoclosure () -> LogMessage) { log(.warning, message) }
    public func info(_ message: @autoclosure () -> LogMessage) { log(.info, message) }
    public func debug(_ message: @autoclosure () -> LogMessage) { log(.debug, message) }

    private func log(_ level: Level, _ message: () -> LogMessage) {
        guard level <= least else { return }
        write(level, message().text)
    }
}

/// A line for the log, in which interpolated text is masked unless it is marked as public.
public struct LogMessage: Sendable, ExpressibleByStringInterpolation {
    public let text: String

    public init(stringLiteral value: String) {
        text = value
    }

    public init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }
        /// Numbers and yes or no say nothing about a person and are shown.
        public mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
        public mutating func appendInterpolation(_ number: some BinaryFloatingPoint) { text += "\(number)" }
        public mutating func appendInterpolation(_ flag: Bool) { text += "\(flag)" }
        /// Anything else is masked, whatever it is.
        public mutating func appendInterpolation(_ value: some Any) { text += "<private>" }
        /// For what is certainly not about a person: a host name from the manifest, an error code.
        public mutating func appendInterpolation(public value: some CustomStringConvertible) {
            // Foreign text must not be able to forge lines of the log or to steer a terminal.
            for scalar in value.description.unicodeScalars {
                let isControl = scalar.properties.generalCategory == .control
                text.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
            }
        }
    }
}
