import Sieve

/// What has to be read of a message for a script: the fields that every email in a store has with it, or all.
enum ScriptNeeds {
    private static let plainTests: Set<String> = ["true", "false", "not", "allof", "anyof", "size"]
    /// They make a test look at more than the message's own fields.
    private static let deepTags: Set<String> = [
        "mime", "anychild", "param", "type", "subtype", "contenttype",
    ]
    private static let deepCommands: Set<String> = ["foreverypart", "extracttext"]

    static func isShallow(_ script: SieveScript) -> Bool { script.commands.allSatisfy(isShallow) }

    private static func isShallow(_ command: SieveCommand) -> Bool {
        !deepCommands.contains(command.name) && command.tests.allSatisfy(isShallow)
            && (command.block ?? []).allSatisfy(isShallow)
    }

    private static func isShallow(_ test: SieveTest) -> Bool {
        if plainTests.contains(test.name) { return test.tests.allSatisfy(isShallow) }
        guard test.name == "header" || test.name == "address", test.arguments.count >= 2 else { return false }
        let isDeep = test.arguments.contains {
            if case .tag(let tag) = $0.value { deepTags.contains(tag) } else { false }
        }
        guard !isDeep else { return false }
        // Last come the names of the fields, and the texts to find.
        switch test.arguments[test.arguments.count - 2].value {
        case .string(let name): return StoredMessage.knownFields.contains(name.lowercased())
        case .list(let names):
            return names.allSatisfy { StoredMessage.knownFields.contains($0.lowercased()) }
        case .number, .tag: return false
        }
    }
}
