import MailKernelAPI
import Sieve

/// What a service offers for rules, with what this program knows of the account.
struct ServiceOffer: Sendable {
    var extensions: Set<String>
    /// What scripts at the service call a mailbox, by its path here in lower case.
    var folders: [String: String]
    /// The user's addresses.
    var addresses: [String]
    /// Messages can be in several mailboxes, which are then named by their ids (RFC 9042) and not by their names alone.
    var hasLabels = false
    /// The ids of the mailboxes, by their paths here in lower case.
    var mailboxIDs: [String: String] = [:]
}

/// Why a rule runs here, for the user.
struct StaysHere: Error, Hashable {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    static let earlier = StaysHere("An earlier rule runs on this computer, and rules run in their order.")
    static let moves = StaysHere(
        "It moves messages and does not stop, so later rules on this computer would not see them.")
    static let labels = StaysHere(
        "Later rules can add more labels, which the service would do with copies.")
    static let differs = StaysHere("The service might understand it differently.")
}

/// A unit as the service runs it.
struct ServedUnit: Sendable, Hashable {
    /// The unit in the script here.
    var key: String
    /// The unit in the script there.
    var form: String
    var commands: [SieveCommand]
    var needs: Set<String> = []
    /// It files messages and lets later rules go on.
    var movesOn = false
    /// It answers messages.
    var replies = false
    /// It puts keywords on messages.
    var flags: Bool { needs.contains("imap4flags") }

    static func == (one: Self, other: Self) -> Bool { one.key == other.key && one.form == other.form }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Reads whether a unit means the same at the service, and how it is written there.
struct UnitReader {
    let offer: ServiceOffer
    private var needs: Set<String> = []
    private var movesOn = false
    private var replies = false

    init(_ offer: ServiceOffer) { self.offer = offer }

    static func read(_ unit: ScriptUnit, _ offer: ServiceOffer) throws(StaysHere) -> ServedUnit {
        var reader = UnitReader(offer)
        let commands = try reader.block(unit.commands, isInner: false)
        let missing = reader.needs.subtracting(offer.extensions).sorted()
        guard missing.isEmpty else {
            throw StaysHere("The service does not support “\(missing[0])”.")
        }
        return ServedUnit(
            key: unit.key, form: ScriptUnit(commands: commands).key, commands: commands, needs: reader.needs,
            movesOn: reader.movesOn, replies: reader.replies)
    }

    mutating func need(_ name: String) { needs.insert(name) }

    private mutating func block(
        _ commands: [SieveCommand], isInner: Bool
    ) throws(StaysHere) -> [SieveCommand] {
        var written: [SieveCommand] = []
        var hasFiled = false
        for command in commands {
            // What follows a filing would see a message that is filed twice, or nothing.
            guard !hasFiled || command.name == "stop" else { throw .differs }
            // The same for what follows a branch that files: the service ends there.
            guard isInner || !movesOn || ["elsif", "else", "stop"].contains(command.name) else {
                throw .differs
            }
            switch command.name {
            case "if", "elsif", "else":
                guard !isInner else { throw .differs }
                var branch = command
                for test in command.tests { try self.test(test) }
                branch.block = try block(command.block ?? [], isInner: true)
                written.append(branch)
            case "stop":
                hasFiled = false
                written.append(command)
            case "addflag": written.append(try flag(command))
            case "fileinto":
                hasFiled = true
                written.append(try filing(command))
            case "vacation": written.append(try reply(command))
            default: throw Self.refusal(of: command.name)
            }
        }
        // At the service, two rules that file a message make two of it; here the first one counts.
        if hasFiled {
            guard !offer.hasLabels else { throw .labels }
            movesOn = true
            written.append(SieveCommand("stop"))
        }
        return written
    }

    private static func refusal(of name: String) -> StaysHere {
        switch name {
        case "redirect": StaysHere("mailkernel forwards messages itself, within its limits.")
        case "reject", "ereject": StaysHere("mailkernel keeps rejected messages in Trash.")
        case "notify": StaysHere("mailkernel sends notifications itself.")
        case "discard":
            StaysHere("The service would delete messages for good; mailkernel moves them to Trash.")
        default: .differs
        }
    }

    private mutating func flag(_ command: SieveCommand) throws(StaysHere) -> SieveCommand {
        guard command.arguments.count == 1 else { throw .differs }
        switch command.arguments[0].value {
        case .string, .list: break
        case .number, .tag: throw .differs
        }
        needs.insert("imap4flags")
        return command
    }

    private mutating func filing(_ command: SieveCommand) throws(StaysHere) -> SieveCommand {
        guard case .string(let path)? = command.arguments.last?.value else { throw .differs }
        for argument in command.arguments.dropLast() {
            switch argument.value {
            case .tag("copy"):
                throw StaysHere("The service would make a second copy of each message.")
            case .tag("create"): continue
            default: throw .differs
            }
        }
        let folded = MailboxPaths.folded(path)
        guard let name = offer.folders[folded] else {
            throw StaysHere("The service has no folder “\(path)” yet.")
        }
        needs.insert("fileinto")
        var written = command
        written.arguments = [.string(name)]
        guard offer.hasLabels else { return written }
        guard let id = offer.mailboxIDs[folded] else { throw .differs }
        needs.insert("mailboxid")
        written.arguments = [.tag("mailboxid"), .string(id), .string(name)]
        return written
    }

    /// With the account's addresses: a service answers only messages to addresses that it knows as the user's.
    private mutating func reply(_ command: SieveCommand) throws(StaysHere) -> SieveCommand {
        var arguments: [SieveArgument] = []
        var addresses: [String] = []
        var rest = command.arguments[...]
        while let argument = rest.popFirst() {
            guard case .tag(let tag) = argument.value else {
                arguments.append(argument)
                continue
            }
            guard ["days", "subject", "from", "handle", "addresses"].contains(tag),
                let value = rest.popFirst()
            else { throw .differs }
            guard tag == "addresses" else {
                arguments += [argument, value]
                continue
            }
            switch value.value {
            case .string(let address): addresses.append(address)
            case .list(let list): addresses += list
            case .number, .tag: throw .differs
            }
        }
        let known = Set(addresses.map { $0.lowercased() })
        addresses += offer.addresses.filter { !known.contains($0.lowercased()) }
        needs.insert("vacation")
        replies = true
        var written = command
        written.arguments = [.tag("addresses"), .list(addresses)] + arguments
        return written
    }
}
