/// A script as written: a tree of commands, which can be changed and written as text again.
public struct SieveScript: Sendable, Equatable {
    public var commands: [SieveCommand]
    /// Comments after the last command.
    public var comments: [String]

    public init(_ commands: [SieveCommand] = [], comments: [String] = []) {
        self.commands = commands
        self.comments = comments
    }
}

/// A command: `if`, `fileinto`, `keep` and so on.
public struct SieveCommand: Sendable, Equatable {
    /// In lower case.
    public var name: String
    public var arguments: [SieveArgument]
    public var tests: [SieveTest]
    /// The commands in braces; nil if there are no braces.
    public var block: [SieveCommand]?
    /// Comments before the command and within its arguments, without their signs.
    public var comments: [String]
    /// Comments before the closing brace.
    public var blockComments: [String]
    public var position: SievePosition?

    public init(
        _ name: String, _ arguments: [SieveArgument] = [], tests: [SieveTest] = [],
        block: [SieveCommand]? = nil, comments: [String] = []
    ) {
        self.name = name
        self.arguments = arguments
        self.tests = tests
        self.block = block
        self.comments = comments
        blockComments = []
    }

    /// Equal if they mean the same, wherever they stand.
    public static func == (one: Self, other: Self) -> Bool {
        one.name == other.name && one.arguments == other.arguments && one.tests == other.tests
            && one.block == other.block && one.comments == other.comments
            && one.blockComments == other.blockComments
    }
}

/// A test: `header`, `allof`, `not` and so on.
public struct SieveTest: Sendable, Equatable {
    /// In lower case.
    public var name: String
    public var arguments: [SieveArgument]
    public var tests: [SieveTest]
    public var position: SievePosition?

    public init(_ name: String, _ arguments: [SieveArgument] = [], tests: [SieveTest] = []) {
        self.name = name
        self.arguments = arguments
        self.tests = tests
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.name == other.name && one.arguments == other.arguments && one.tests == other.tests
    }
}

/// What follows the name of a command or test.
public struct SieveArgument: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        /// The name of a tag without its colon, in lower case.
        case tag(String)
        case number(Int)
        case string(String)
        case list([String])
    }

    public var value: Value
    public var position: SievePosition?

    public init(_ value: Value, at position: SievePosition? = nil) {
        self.value = value
        self.position = position
    }

    public static func tag(_ name: String) -> Self { Self(.tag(name)) }
    public static func number(_ number: Int) -> Self { Self(.number(number)) }
    public static func string(_ string: String) -> Self { Self(.string(string)) }
    public static func list(_ strings: [String]) -> Self { Self(.list(strings)) }

    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}
