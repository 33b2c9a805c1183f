/// A script as a list of rules, with what was written by hand between them.
public struct SieveRuleList: Sendable, Equatable {
    public enum Entry: Sendable, Equatable {
        case rule(SieveRule)
        /// Commands that no rule can express. They are kept as they are.
        case commands([SieveCommand])
    }

    public var entries: [Entry]
    /// What the commands written by hand require.
    private var required: [String] = []
    /// Comments before `require`.
    private var headComments: [String] = []
    private var endComments: [String] = []

    public init(_ rules: [SieveRule] = []) {
        entries = rules.map(Entry.rule)
    }

    /// The rules, in their order.
    public var rules: [SieveRule] {
        entries.compactMap { if case .rule(let rule) = $0 { rule } else { nil } }
    }

    /// Finds the rules of a script.
    public init(_ script: SieveScript, places: SieveRulePlaces = SieveRulePlaces()) {
        entries = []
        endComments = script.comments
        let head = script.commands.prefix { $0.name == "require" }
        for command in head {
            headComments += command.comments
            for argument in command.arguments { required += Self.strings(argument) }
        }
        let commands = Array(script.commands.dropFirst(head.count))
        // With either of these, a text of a rule could mean something else than it says.
        let isPlain = required.allSatisfy { $0 != "variables" && $0 != "encoded-character" }
        for (index, command) in commands.enumerated() {
            let next = index + 1 < commands.count ? commands[index + 1].name : ""
            let isWhole = isPlain && next != "elsif" && next != "else"
            if isWhole, let rule = SieveRule(command, places) {
                entries.append(.rule(rule))
            } else if case .commands(let others)? = entries.last {
                entries[entries.count - 1] = .commands(others + [command])
            } else {
                entries.append(.commands([command]))
            }
        }
    }

    /// The script that does this.
    public func script(places: SieveRulePlaces = SieveRulePlaces()) -> SieveScript {
        var needed = required
        if !rules.isEmpty { needed += SieveRule.extensions.filter { !needed.contains($0) } }
        let commands = entries.flatMap { entry in
            switch entry {
            case .rule(let rule): [rule.command(places)]
            case .commands(let others): others
            }
        }
        // Not every program that shares the script knows it, so it is required only where it is needed.
        let notifies = rules.contains { $0.actions.contains(.notify) }
        if notifies, !needed.contains("enotify") { needed.append("enotify") }
        // No other program knows it, so it is required only where it is needed.
        needed.removeAll { $0 == Extensions.savedSearch }
        if !SieveScript(commands).savedSearches.isEmpty { needed.append(Extensions.savedSearch) }
        guard !needed.isEmpty else { return SieveScript(commands, comments: endComments) }
        let head = SieveCommand("require", [.list(needed)], comments: headComments)
        return SieveScript([head] + commands, comments: endComments)
    }

    private static func strings(_ argument: SieveArgument) -> [String] {
        switch argument.value {
        case .string(let name): [name]
        case .list(let names): names
        case .number, .tag: []
        }
    }
}
