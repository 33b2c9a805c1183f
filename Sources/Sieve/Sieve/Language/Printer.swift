extension SieveScript {
    /// The script as text. Reading it again gives an equal script.
    public var text: String {
        var printer = Printer()
        printer.add(commands)
        printer.add(comments: comments)
        return printer.text
    }
}

private struct Printer {
    var text = ""
    private var depth = 0

    mutating func add(_ commands: [SieveCommand]) {
        for (index, command) in commands.enumerated() {
            // A blank line between rules; `else` belongs to what is before it.
            let isBranch = ["elsif", "else"].contains(command.name)
            if depth == 0, index > 0, !isBranch, command.block != nil || commands[index - 1].block != nil {
                text += "\n"
            }
            add(command)
        }
    }

    mutating func add(comments: [String]) {
        for comment in comments { add(line: comment.isEmpty ? "#" : "# \(comment)") }
    }

    private mutating func add(_ command: SieveCommand) {
        add(comments: command.comments)
        var words = [command.name] + command.arguments.map(Self.text)
        switch command.tests.count {
        case 0: break
        case 1: words.append(Self.text(command.tests[0]))
        default: words.append("(\(command.tests.map(Self.text).joined(separator: ", ")))")
        }
        guard let block = command.block else { return add(line: words.joined(separator: " ") + ";") }
        add(line: words.joined(separator: " ") + " {")
        depth += 1
        add(block)
        add(comments: command.blockComments)
        depth -= 1
        add(line: "}")
    }

    private mutating func add(line: String) {
        text += String(repeating: "    ", count: depth) + line + "\n"
    }

    private static func text(_ test: SieveTest) -> String {
        var words = [test.name] + test.arguments.map(text)
        if ["allof", "anyof"].contains(test.name) || test.tests.count > 1 {
            let tests = test.tests.map(text).joined(separator: ", ")
            return words.joined(separator: " ") + (test.tests.isEmpty ? "" : " (\(tests))")
        }
        words += test.tests.map(text)
        return words.joined(separator: " ")
    }

    private static func text(_ argument: SieveArgument) -> String {
        switch argument.value {
        case .tag(let name): ":" + name
        case .number(let number): Self.text(number)
        case .string(let string): quoted(string)
        case .list(let strings): "[" + strings.map(quoted).joined(separator: ", ") + "]"
        }
    }

    private static func text(_ number: Int) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] where number > 0 && number % (1 << shift) == 0
        {
            return "\(number >> shift)\(unit)"
        }
        return "\(number)"
    }

    private static func quoted(_ string: String) -> String {
        var quoted: Bytes = [UInt8(ascii: "\"")]
        for byte in string.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return (quoted + [UInt8(ascii: "\"")]).text
    }
}
