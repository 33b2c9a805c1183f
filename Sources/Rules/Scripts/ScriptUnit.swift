import Sieve

/// A part of a script that runs as a whole, at the service or here: a command with what belongs to it.
struct ScriptUnit: Sendable {
    var commands: [SieveCommand]

    /// Equal for units that do the same, whatever their names and comments.
    var key: String { SieveScript(commands.map(\.bare)).text }

    /// The name of the rule that it is; nil if it was written by hand.
    var title: String? { LoadedScript.title(of: commands[0]) }

    /// A rule that is turned off keeps its conditions beside one that never holds.
    var isOff: Bool {
        guard commands.count == 1, commands[0].name == "if", let test = commands[0].tests.first else {
            return false
        }
        return test == SieveTest("false") || test.name == "allof" && test.tests.first == SieveTest("false")
    }

    static func all(in script: SieveScript) -> [ScriptUnit] {
        var units: [ScriptUnit] = []
        for command in script.commands where command.name != "require" {
            if ["elsif", "else"].contains(command.name), !units.isEmpty {
                units[units.count - 1].commands.append(command)
            } else {
                units.append(ScriptUnit(commands: [command]))
            }
        }
        return units
    }

    /// What the script requires.
    static func required(by script: SieveScript) -> Set<String> {
        var names: Set<String> = []
        for command in script.commands where command.name == "require" {
            for argument in command.arguments {
                switch argument.value {
                case .string(let name): names.insert(name)
                case .list(let list): names.formUnion(list)
                case .number, .tag: break
                }
            }
        }
        return names
    }
}

extension SieveScript {
    /// The script without what some of its units do; it stops where they stop.
    func without(_ keys: Set<String>) -> SieveScript {
        let units = ScriptUnit.all(in: self)
        var script = self
        script.commands = commands.filter { $0.name == "require" }
        for unit in units {
            script.commands += keys.contains(unit.key) ? Self.idle(unit.commands) : unit.commands
        }
        return script
    }

    private static func idle(_ commands: [SieveCommand]) -> [SieveCommand] {
        commands.compactMap { command in
            switch command.name {
            case "stop": return command
            case "if", "elsif", "else":
                var branch = command
                branch.block = idle(command.block ?? [])
                return branch
            default: return nil
            }
        }
    }
}

extension SieveCommand {
    /// Without comments.
    var bare: SieveCommand {
        var bare = self
        (bare.comments, bare.blockComments) = ([], [])
        bare.block = block.map { $0.map(\.bare) }
        return bare
    }
}
