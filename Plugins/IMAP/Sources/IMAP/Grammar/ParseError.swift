/// A response that the grammar does not allow. It fails the command that it belongs to, and nothing else.
struct ParseError: Error, Equatable, CustomStringConvertible {
    /// The expected element. Never the server's own bytes, which may be private.
    let expected: StaticString
    let offset: Int

    static func == (one: ParseError, other: ParseError) -> Bool { one.description == other.description }

    var description: String { "expected \(expected) at byte \(offset) of a response" }
}

/// Invalid bytes after which the next response cannot be found: the connection is closed.
enum FramingError: Error, Equatable {
    case lineTooLong
    case literalTooLong
    case tooManyLiterals

    var reason: String {
        switch self {
        case .lineTooLong: "a response was too long"
        case .literalTooLong: "a literal was longer than IMAP allows"
        case .tooManyLiterals: "a response had too many literals"
        }
    }
}
