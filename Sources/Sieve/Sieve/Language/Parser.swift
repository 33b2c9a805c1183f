extension SieveScript {
    /// Reads a script. What its commands mean is checked by `SieveProgram`.
    public init(parsing text: [UInt8], limits: SieveLimits = SieveLimits()) throws(SieveError) {
        guard text.count <= limits.scriptSize else {
            throw SieveError("The script is larger than \(limits.scriptSize >> 10) KB.")
        }
        guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else {
            throw SieveError("The script is not text in UTF-8.")
        }
        var parser = try Parser(text, limits: limits)
        commands = try parser.commands(depth: 0)
        comments = parser.token.comments
        guard parser.token.kind == .end else {
            throw SieveError("This brace closes nothing.", at: parser.token.position)
        }
    }

    /// Reads a script.
    public init(parsing text: String, limits: SieveLimits = SieveLimits()) throws(SieveError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}

/// The grammar of RFC 5228, section 8.2.
private struct Parser {
    private var lexer: Lexer
    private let limits: SieveLimits
    private(set) var token: Token
    private var nodes = 0

    init(_ text: Bytes, limits: SieveLimits) throws(SieveError) {
        lexer = Lexer(text)
        self.limits = limits
        token = try lexer.next()
    }

    mutating func commands(depth: Int) throws(SieveError) -> [SieveCommand] {
        var commands: [SieveCommand] = []
        while token.kind != .end, !isAt("}") { commands.append(try command(depth: depth)) }
        return commands
    }

    private mutating func command(depth: Int) throws(SieveError) -> SieveCommand {
        let start = token
        guard case .identifier(let name) = start.kind else {
            throw SieveError("A command was expected here.", at: start.position)
        }
        try enter(depth)
        try advance()
        var command = SieveCommand(name, comments: start.comments)
        command.position = start.position
        command.arguments = try arguments(collecting: &command.comments)
        command.tests = try tests(depth: depth, collecting: &command.comments).tests
        command.comments += token.comments
        if try skip("{") {
            command.block = try commands(depth: depth + 1)
            command.blockComments = token.comments
            guard try skip("}") else {
                throw SieveError("The block that begins here has no closing brace.", at: start.position)
            }
        } else if try !skip(";") {
            throw SieveError("`\(name)` must be followed by a semicolon.", at: token.position)
        }
        return command
    }

    private mutating func tests(
        depth: Int, collecting comments: inout [String]
    ) throws(SieveError) -> (tests: [SieveTest], hasParentheses: Bool) {
        if case .identifier = token.kind { return ([try test(depth: depth, collecting: &comments)], false) }
        guard isAt("(") else { return ([], false) }
        var tests: [SieveTest] = []
        repeat {
            comments += token.comments
            try advance()
            tests.append(try test(depth: depth, collecting: &comments))
        } while isAt(",")
        guard try skip(")") else {
            throw SieveError("A comma or a closing parenthesis was expected here.", at: token.position)
        }
        return (tests, true)
    }

    private mutating func test(depth: Int, collecting comments: inout [String]) throws(SieveError)
        -> SieveTest
    {
        guard case .identifier(let name) = token.kind else {
            throw SieveError("A test was expected here.", at: token.position)
        }
        try enter(depth)
        var test = SieveTest(name)
        test.position = token.position
        comments += token.comments
        try advance()
        test.arguments = try arguments(collecting: &comments)
        test.tests = try tests(depth: depth + 1, collecting: &comments).tests
        return test
    }

    private mutating func arguments(
        collecting comments: inout [String]
    ) throws(SieveError) -> [SieveArgument] {
        var arguments: [SieveArgument] = []
        while true {
            let start = token
            guard let value = try argument() else { return arguments }
            comments += start.comments
            arguments.append(SieveArgument(value, at: start.position))
            try advance()
        }
    }

    /// The argument at this token, which is then its last one.
    private mutating func argument() throws(SieveError) -> SieveArgument.Value? {
        switch token.kind {
        case .tag(let name): .tag(name)
        case .number(let number): .number(number)
        case .string(let string): .string(string)
        case .symbol(UInt8(ascii: "[")): .list(try list())
        case .symbol, .identifier, .end: nil
        }
    }

    private mutating func list() throws(SieveError) -> [String] {
        let start = token.position
        var strings: [String] = []
        repeat {
            try advance()
            guard case .string(let string) = token.kind else {
                throw SieveError("A string was expected here.", at: token.position)
            }
            strings.append(string)
            guard strings.count <= limits.listLength else {
                throw SieveError("This list has more than \(limits.listLength) strings.", at: start)
            }
            try advance()
        } while isAt(",")
        guard isAt("]") else {
            throw SieveError("A comma or a closing bracket was expected here.", at: token.position)
        }
        return strings
    }

    private mutating func enter(_ depth: Int) throws(SieveError) {
        nodes += 1
        if depth >= limits.nesting {
            throw SieveError("More than \(limits.nesting) blocks or tests are nested.", at: token.position)
        }
        if nodes > limits.nodes {
            throw SieveError(
                "The script has more than \(limits.nodes) commands and tests.", at: token.position)
        }
    }

    private func isAt(_ symbol: Unicode.Scalar) -> Bool { token.kind == .symbol(UInt8(ascii: symbol)) }

    private mutating func skip(_ symbol: Unicode.Scalar) throws(SieveError) -> Bool {
        guard isAt(symbol) else { return false }
        try advance()
        return true
    }

    private mutating func advance() throws(SieveError) {
        token = try lexer.next()
    }
}
