/// Makes steps of the commands of a script, and refuses what has no meaning.
struct Compiler {
    let limits: SieveLimits
    var required: Set<String> = ["comparator-i;octet", "comparator-i;ascii-casemap"]
    var variables: Set<String> = []
    /// The names of the loops around the command.
    var loops: [String?] = []

    init(limits: SieveLimits) {
        self.limits = limits
    }

    mutating func compile(_ script: SieveScript) throws(SieveError) -> [Step] {
        let head = script.commands.prefix { $0.name == "require" }
        for command in head { try require(command) }
        return try compile(Array(script.commands.dropFirst(head.count)), depth: 0)
    }

    private mutating func require(_ command: SieveCommand) throws(SieveError) {
        let arguments = try read(command)
        let names = arguments.strings(0)
        let unknown = names.filter { !Extensions.supported.contains($0) }
        guard unknown.isEmpty else {
            throw SieveError(Extensions.refusal(of: unknown), at: command.position)
        }
        for name in names { required.formUnion([name] + Extensions.implied[name, default: []]) }
    }

    mutating func compile(_ commands: [SieveCommand], depth: Int) throws(SieveError) -> [Step] {
        guard depth <= limits.nesting else {
            throw SieveError("More than \(limits.nesting) blocks are nested.", at: commands.first?.position)
        }
        var steps: [Step] = []
        var canBranch = false
        for command in commands {
            if command.name == "elsif" || command.name == "else" {
                guard canBranch, case .choose(var branches)? = steps.last?.operation else {
                    throw SieveError("`\(command.name)` must follow an `if`.", at: command.position)
                }
                branches.append(try branch(command, depth: depth))
                steps[steps.count - 1].operation = .choose(branches)
                canBranch = command.name == "elsif"
                continue
            }
            canBranch = command.name == "if"
            let operation =
                canBranch
                ? Operation.choose([try branch(command, depth: depth)]) : try operation(command, depth: depth)
            steps.append(Step(operation: operation, position: command.position))
        }
        return steps
    }

    private mutating func branch(
        _ command: SieveCommand, depth: Int
    ) throws(SieveError) -> (condition: Condition?, steps: [Step]) {
        _ = try read(command)
        guard let test = command.tests.first else {
            return (nil, try compile(command.block ?? [], depth: depth + 1))
        }
        // In a block that depends on it, an extension need not be required, and may be unknown (RFC 5463).
        let tried = Self.tried(test)
        guard required.contains("ihave"), !tried.isEmpty else {
            return (try condition(test, depth: depth), try compile(command.block ?? [], depth: depth + 1))
        }
        let condition = try condition(test, depth: depth)
        guard tried.allSatisfy({ Extensions.supported.contains($0) }) else { return (condition, []) }
        let before = required
        required.formUnion(tried)
        defer { required = before }
        return (condition, try compile(command.block ?? [], depth: depth + 1))
    }

    /// The extensions that must be there if the test holds.
    private static func tried(_ test: SieveTest) -> [String] {
        switch test.name {
        case "ihave":
            switch test.arguments.first?.value {
            case .string(let name): [name]
            case .list(let names): names
            case .number, .tag, nil: []
            }
        case "allof": test.tests.flatMap(tried)
        default: []
        }
    }

    func read(_ command: SieveCommand) throws(SieveError) -> ReadArguments {
        let shape = try shape(
            Shape.commands[command.name], command.name, isTest: false, at: command.position)
        guard shape.hasBlock == (command.block != nil) else {
            throw SieveError(
                "`\(command.name)` \(shape.hasBlock ? "needs a block in braces" : "has no block").",
                at: command.position)
        }
        try check(command.tests, shape, command.name, at: command.position)
        return try ReadArguments(
            command.arguments, of: command.name, at: command.position, shape: shape, required: required)
    }

    func read(_ test: SieveTest) throws(SieveError) -> ReadArguments {
        let shape = try shape(Shape.tests[test.name], test.name, isTest: true, at: test.position)
        try check(test.tests, shape, test.name, at: test.position)
        return try ReadArguments(
            test.arguments, of: test.name, at: test.position, shape: shape, required: required)
    }

    private func shape(
        _ shape: Shape?, _ name: String, isTest: Bool, at position: SievePosition?
    ) throws(SieveError) -> Shape {
        if let refused = Extensions.ofRefused[name] {
            throw SieveError(Extensions.refusal(of: [refused]), at: position)
        }
        guard let shape else {
            let isOther = (isTest ? Shape.commands : Shape.tests)[name] != nil
            let words =
                isOther
                ? "`\(name)` is a \(isTest ? "command" : "test") and cannot stand here."
                : "There is no \(isTest ? "test" : "command") `\(name)`."
            throw SieveError(words, at: position)
        }
        guard shape.needs.isEmpty || shape.needs.contains(where: { required.contains($0) }) else {
            throw SieveError(
                "`\(name)` needs `require \"\(shape.needs[0])\";` at the top of the script.", at: position)
        }
        return shape
    }

    private func check(
        _ tests: [SieveTest], _ shape: Shape, _ name: String, at position: SievePosition?
    ) throws(SieveError) {
        switch shape.tests {
        case .none where !tests.isEmpty: throw SieveError("`\(name)` takes no test.", at: position)
        case .one where tests.count != 1: throw SieveError("`\(name)` takes one test.", at: position)
        case .several where tests.isEmpty:
            throw SieveError("`\(name)` takes tests in parentheses.", at: position)
        case .none, .one, .several: break
        }
    }

    /// An error of one string is at its command.
    func located<Value>(
        at position: SievePosition?, _ work: () throws(SieveError) -> Value
    ) throws(SieveError) -> Value {
        do {
            return try work()
        } catch {
            throw SieveError(error.message, at: error.position ?? position)
        }
    }

    func template(_ text: String, at position: SievePosition?) throws(SieveError) -> StringTemplate {
        try located(at: position) { () throws(SieveError) in
            let isEncoded = required.contains("encoded-character")
            let bytes = isEncoded ? try EncodedCharacters.decoded(text.bytes) : text.bytes
            return required.contains("variables")
                ? try StringTemplate(bytes, limits: limits) : StringTemplate(constant: bytes)
        }
    }

    func templates(_ texts: [String], at position: SievePosition?) throws(SieveError) -> [StringTemplate] {
        var templates: [StringTemplate] = []
        for text in texts { templates.append(try template(text, at: position)) }
        return templates
    }

    func optional(_ text: String?, at position: SievePosition?) throws(SieveError) -> StringTemplate? {
        guard let text else { return nil }
        return try template(text, at: position)
    }
}
