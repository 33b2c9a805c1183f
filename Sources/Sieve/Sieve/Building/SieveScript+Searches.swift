/// A saved search that a script asks for.
public struct SieveSearchUse: Sendable, Hashable {
    /// The id or name, as it is written.
    public var name: String
    public var position: SievePosition?
}

extension SieveScript {
    /// The saved searches that the script asks for, in its order.
    public var savedSearches: [SieveSearchUse] { commands.flatMap(Self.searches) }

    private static func searches(_ command: SieveCommand) -> [SieveSearchUse] {
        command.tests.flatMap(searches) + (command.block ?? []).flatMap(searches)
    }

    private static func searches(_ test: SieveTest) -> [SieveSearchUse] {
        guard test.name == "savedsearch", case .string(let name)? = test.arguments.last?.value else {
            return test.tests.flatMap(searches)
        }
        return [SieveSearchUse(name: name, position: test.position)]
    }
}
