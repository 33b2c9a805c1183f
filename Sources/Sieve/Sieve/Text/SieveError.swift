/// Where something stands in a script. Lines and columns count from 1; columns count characters.
public struct SievePosition: Sendable, Hashable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// Why a script cannot be used, or why it stopped on a message.
public struct SieveError: Error, Equatable, Sendable {
    /// Where in the script; nil if it is about the whole.
    public var position: SievePosition?
    /// A sentence for the author of the script. It quotes the script, never the message.
    public var message: String

    init(_ message: String, at position: SievePosition? = nil) {
        self.message = message
        self.position = position
    }
}

extension SieveError: CustomStringConvertible {
    public var description: String {
        position.map { "Line \($0.line), column \($0.column): \(message)" } ?? message
    }
}
