extension Compiler {
    mutating func operation(_ command: SieveCommand, depth: Int) throws(SieveError) -> Operation {
        let arguments = try read(command)
        let position = command.position
        switch command.name {
        case "require": throw SieveError("`require` must be at the top of the script.", at: position)
        case "stop": return .stop
        case "discard": return .discard
        case "keep": return .keep(flags: try flags(arguments))
        case "fileinto":
            return .fileInto(
                FilingOperation(
                    mailbox: try template(arguments.string(0), at: position), flags: try flags(arguments),
                    isCopy: arguments.has("copy"), creates: arguments.has("create")))
        case "redirect":
            let address = try template(arguments.string(0), at: position)
            try checkAddress(address, at: position)
            return .redirect(address, isCopy: arguments.has("copy"))
        case "reject", "ereject":
            return .reject(
                try template(arguments.string(0), at: position), isEnhanced: command.name == "ereject")
        case "setflag", "addflag", "removeflag": return try flagChange(command.name, arguments)
        case "vacation": return .vacation(try vacation(arguments))
        case "notify": return .notify(try notify(arguments))
        case "error": return .fail(try template(arguments.string(0), at: position))
        case "set":
            return .set(
                try variable(arguments.string(0), at: position),
                try template(arguments.string(1), at: position),
                modifiers: modifiers(arguments))
        case "foreverypart", "break", "extracttext":
            return try loopOperation(command, arguments, depth: depth)
        default: throw SieveError("There is no command `\(command.name)`.", at: position)
        }
    }

    private mutating func loopOperation(
        _ command: SieveCommand, _ arguments: ReadArguments, depth: Int
    ) throws(SieveError) -> Operation {
        let name = arguments.string("name")
        if command.name == "foreverypart" {
            loops.append(name)
            defer { loops.removeLast() }
            return .forEveryPart(name: name, try compile(command.block ?? [], depth: depth + 1))
        }
        guard !loops.isEmpty else {
            throw SieveError(
                "`\(command.name)` only has a meaning within `foreverypart`.", at: command.position)
        }
        if command.name == "break" {
            guard name == nil || loops.contains(name) else {
                throw SieveError("No `foreverypart` around this has that name.", at: command.position)
            }
            return .leave(name: name)
        }
        guard required.contains("variables") else {
            throw SieveError(
                "`extracttext` needs `require \"variables\";` at the top of the script.", at: command.position
            )
        }
        return .extractText(
            try variable(arguments.string(0), at: command.position), first: arguments.number("first"),
            modifiers: modifiers(arguments))
    }

    private func flags(_ arguments: ReadArguments) throws(SieveError) -> [StringTemplate]? {
        guard let flags = arguments.strings("flags") else { return nil }
        return try templates(flags, at: arguments.position)
    }

    private mutating func flagChange(_ name: String, _ arguments: ReadArguments) throws(SieveError)
        -> Operation
    {
        let variable = try flagVariable(arguments, at: 0).first ?? ""
        return .changeFlags(
            FlagChange(rawValue: name) ?? .set, variable: variable,
            try templates(arguments.strings(1), at: arguments.position))
    }

    /// The variables that keep flags; none stands for the flags of the message.
    private mutating func flagVariable(_ arguments: ReadArguments, at index: Int) throws(SieveError)
        -> [String]
    {
        guard !arguments.isMissing(index) else { return [] }
        guard required.contains("variables") else {
            throw SieveError(
                "Flags in a variable need `require \"variables\";` at the top of the script.",
                at: arguments.position)
        }
        return [try variable(arguments.string(index), at: arguments.position)]
    }

    private func modifiers(_ arguments: ReadArguments) -> [String] {
        arguments.tags.keys.filter { Shape.modifiers[$0] != nil }
            .sorted { Shape.modifiers[$0, default: 0] > Shape.modifiers[$1, default: 0] }
    }

    mutating func variable(_ name: String, at position: SievePosition?) throws(SieveError) -> String {
        let bytes = name.bytes
        guard let first = bytes.first, !first.isDigit, bytes.allSatisfy(\.isWord), bytes.count <= 64 else {
            throw SieveError("`\(name)` cannot be the name of a variable.", at: position)
        }
        variables.insert(name.lowered)
        guard variables.count <= limits.variables else {
            throw SieveError("The script has more than \(limits.variables) variables.", at: position)
        }
        return name.lowered
    }

    private func checkAddress(_ address: StringTemplate, at position: SievePosition?) throws(SieveError) {
        guard let constant = address.constant, AddressParser.single(constant) == nil else { return }
        throw SieveError("`\(constant.text)` is not an address.", at: position)
    }

    private func vacation(_ arguments: ReadArguments) throws(SieveError) -> VacationOperation {
        let position = arguments.position
        let from = try optional(arguments.string("from"), at: position)
        if let from { try checkAddress(from, at: position) }
        let days = min(max(arguments.number("days") ?? 7, 1), 365)
        return VacationOperation(
            seconds: arguments.number("seconds") ?? days * 86_400,
            subject: try optional(arguments.string("subject"), at: position), from: from,
            addresses: try templates(arguments.strings("addresses") ?? [], at: position),
            isMIME: arguments.has("mime"), handle: try optional(arguments.string("handle"), at: position),
            reason: try template(arguments.string(0), at: position))
    }

    private func notify(_ arguments: ReadArguments) throws(SieveError) -> NotifyOperation {
        let position = arguments.position
        let importance = try optional(arguments.string("importance"), at: position)
        if let constant = importance?.constant, !["1", "2", "3"].contains(constant.text) {
            throw SieveError("The importance must be \"1\", \"2\" or \"3\".", at: position)
        }
        let method = try template(arguments.string(0), at: position)
        if let constant = method.constant, !NotifyMethod.isSupported(constant, limits) {
            throw SieveError("`\(constant.text)` is not a way to notify that is supported.", at: position)
        }
        return NotifyOperation(
            method: method, from: try optional(arguments.string("from"), at: position),
            importance: importance,
            options: try templates(arguments.strings("options") ?? [], at: position),
            message: try optional(arguments.string("message"), at: position))
    }
}
