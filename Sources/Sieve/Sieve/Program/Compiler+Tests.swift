extension Compiler {
    mutating func condition(_ test: SieveTest, depth: Int) throws(SieveError) -> Condition {
        guard depth <= limits.nesting else {
            throw SieveError("More than \(limits.nesting) tests are nested.", at: test.position)
        }
        let arguments = try read(test)
        switch test.name {
        case "true": return .constant(true)
        case "false": return .constant(false)
        case "not": return .not(try conditions(test.tests, depth: depth + 1)[0])
        case "allof": return .all(try conditions(test.tests, depth: depth + 1))
        case "anyof": return .any(try conditions(test.tests, depth: depth + 1))
        case "ihave": return .constant(arguments.strings(0).allSatisfy { Extensions.supported.contains($0) })
        case "header", "address", "envelope", "exists", "size", "body", "date", "currentdate":
            return try messageCondition(test.name, arguments)
        default: return try otherCondition(test.name, arguments)
        }
    }

    private mutating func conditions(_ tests: [SieveTest], depth: Int) throws(SieveError) -> [Condition] {
        var conditions: [Condition] = []
        for test in tests { conditions.append(try condition(test, depth: depth)) }
        return conditions
    }

    private func messageCondition(_ name: String, _ arguments: ReadArguments) throws(SieveError) -> Condition
    {
        switch name {
        case "header": return .header(try header(arguments))
        case "address": return .address(try address(arguments))
        case "envelope":
            return .envelope(
                try envelopeParts(arguments), addressPart(arguments), try keys(arguments, 1))
        case "exists": return .exists(try names(arguments, 0), try part(arguments))
        case "size":
            guard arguments.has("over") || arguments.has("under") else {
                throw SieveError("`size` needs `:over` or `:under`.", at: arguments.position)
            }
            return .size(isOver: arguments.has("over"), arguments.number(0))
        case "body": return .body(try body(arguments))
        case "date": return .date(try date(arguments))
        default:
            return .currentDate(
                part: try datePart(arguments.string(0), at: arguments.position), zone: try zone(arguments),
                try keys(arguments, 1))
        }
    }

    private mutating func otherCondition(
        _ name: String, _ arguments: ReadArguments
    ) throws(SieveError) -> Condition {
        switch name {
        case "string": return .string(try names(arguments, 0), try keys(arguments, 1))
        case "hasflag":
            guard arguments.isMissing(0) || required.contains("variables") else {
                throw SieveError(
                    "Flags in a variable need `require \"variables\";` at the top of the script.",
                    at: arguments.position)
            }
            var variables: [StringTemplate] = []
            for name in arguments.strings(0) {
                variables.append(StringTemplate(constant: try variable(name, at: arguments.position).bytes))
            }
            return .hasFlag(variables, try keys(arguments, 1))
        case "mailboxexists": return .mailboxExists(try names(arguments, 0))
        case "duplicate": return .duplicate(try duplicate(arguments))
        case "environment":
            return .environment(
                try template(arguments.string(0), at: arguments.position), try keys(arguments, 1))
        case "valid_notify_method": return .validMethod(try names(arguments, 0))
        case "notify_method_capability":
            return .methodCapability(
                try template(arguments.string(0), at: arguments.position),
                try template(arguments.string(1), at: arguments.position), try keys(arguments, 2))
        case "savedsearch":
            guard let name = try template(arguments.string(0), at: arguments.position).constant else {
                throw SieveError("A saved search cannot be named by a variable.", at: arguments.position)
            }
            return .search(name.text, arguments.position)
        default: throw SieveError("There is no test `\(name)`.", at: arguments.position)
        }
    }

    private func names(_ arguments: ReadArguments, _ index: Int) throws(SieveError) -> [StringTemplate] {
        try templates(arguments.strings(index), at: arguments.position)
    }

    private func header(_ arguments: ReadArguments) throws(SieveError) -> HeaderCondition {
        let aspects = ["type", "subtype", "contenttype", "param"].filter { arguments.has($0) }
        let part = try part(arguments)
        guard aspects.isEmpty || part != nil else {
            throw SieveError("`:\(aspects[0])` needs `:mime` beside it.", at: arguments.position)
        }
        var condition = HeaderCondition(
            names: try names(arguments, 0), keys: try keys(arguments, 1), index: try index(arguments),
            part: part)
        switch aspects.first {
        case "type": condition.aspect = .type
        case "subtype": condition.aspect = .subtype
        case "contenttype": condition.aspect = .contentType
        case "param":
            condition.aspect = .parameters(
                try templates(arguments.strings("param") ?? [], at: arguments.position))
        default: condition.aspect = .whole
        }
        return condition
    }

    private func part(_ arguments: ReadArguments) throws(SieveError) -> PartChoice? {
        guard arguments.has("mime") || !arguments.has("anychild") else {
            throw SieveError("`:anychild` needs `:mime` beside it.", at: arguments.position)
        }
        return arguments.has("mime") ? PartChoice(includesChildren: arguments.has("anychild")) : nil
    }

    private func index(_ arguments: ReadArguments) throws(SieveError) -> FieldIndex? {
        guard let number = arguments.number("index") else {
            guard !arguments.has("last") else {
                throw SieveError("`:last` needs `:index` beside it.", at: arguments.position)
            }
            return nil
        }
        guard number > 0 else { throw SieveError("`:index` counts from 1.", at: arguments.position) }
        return FieldIndex(number: number, isFromLast: arguments.has("last"))
    }

    private func address(_ arguments: ReadArguments) throws(SieveError) -> AddressCondition {
        for name in arguments.strings(0) {
            let constant = try template(name, at: arguments.position).constant
            guard let constant, !AddressFields.names.contains(constant.lowered.text) else { continue }
            throw SieveError(
                "`address` cannot look at `\(name)`, which is not known to hold addresses; use `header`.",
                at: arguments.position)
        }
        return AddressCondition(
            names: try names(arguments, 0), keys: try keys(arguments, 1), addressPart: addressPart(arguments),
            index: try index(arguments), part: try part(arguments))
    }

    private func addressPart(_ arguments: ReadArguments) -> AddressCondition.Part {
        arguments.tags.keys.lazy.compactMap(AddressCondition.Part.init).first ?? .all
    }

    private func envelopeParts(_ arguments: ReadArguments) throws(SieveError) -> [StringTemplate] {
        for name in arguments.strings(0) where !["from", "to"].contains(name.lowered) {
            throw SieveError("`envelope` has `from` and `to`, but not `\(name)`.", at: arguments.position)
        }
        return try names(arguments, 0)
    }

    private func body(_ arguments: ReadArguments) throws(SieveError) -> BodyCondition {
        let keys = try keys(arguments, 0)
        if arguments.has("raw") { return BodyCondition(content: .raw, keys: keys) }
        guard let types = arguments.strings("content") else {
            return BodyCondition(content: .text, keys: keys)
        }
        return BodyCondition(content: .types(try templates(types, at: arguments.position)), keys: keys)
    }

    private func date(_ arguments: ReadArguments) throws(SieveError) -> DateCondition {
        let zone: DateCondition.Zone
        if let given = try self.zone(arguments) {
            zone = .given(given)
        } else {
            zone = arguments.has("originalzone") ? .original : .local
        }
        return DateCondition(
            header: try template(arguments.string(0), at: arguments.position),
            datePart: try datePart(arguments.string(1), at: arguments.position), keys: try keys(arguments, 2),
            zone: zone, index: try index(arguments))
    }

    private func datePart(_ name: String, at position: SievePosition?) throws(SieveError) -> String {
        guard MailDate.parts.contains(name.lowered) else {
            throw SieveError("A date has no part `\(name)`.", at: position)
        }
        return name.lowered
    }

    private func zone(_ arguments: ReadArguments) throws(SieveError) -> StringTemplate? {
        guard let zone = try optional(arguments.string("zone"), at: arguments.position) else { return nil }
        if let constant = zone.constant, MailDate.minutes(ofZone: constant) == nil {
            throw SieveError("A zone must be written as in \"+0100\".", at: arguments.position)
        }
        return zone
    }

    private func duplicate(_ arguments: ReadArguments) throws(SieveError) -> DuplicateCondition {
        let position = arguments.position
        var identity = DuplicateCondition.Identity.messageID
        if let header = try optional(arguments.string("header"), at: position) { identity = .header(header) }
        if let given = try optional(arguments.string("uniqueid"), at: position) { identity = .given(given) }
        return DuplicateCondition(
            handle: try optional(arguments.string("handle"), at: position), identity: identity,
            seconds: arguments.number("seconds"), isExtended: arguments.has("last"))
    }

    private func keys(_ arguments: ReadArguments, _ index: Int) throws(SieveError) -> KeyList {
        let matcher = try matcher(arguments)
        var keys: [(template: StringTemplate, ready: Matcher.Key?)] = []
        for template in try names(arguments, index) {
            let ready = try located(at: arguments.position) { () throws(SieveError) -> Matcher.Key? in
                guard let constant = template.constant else { return nil }
                return try matcher.key(constant, limits: limits)
            }
            keys.append((template, ready))
        }
        return KeyList(matcher: matcher, keys: keys, position: arguments.position)
    }

    private func matcher(_ arguments: ReadArguments) throws(SieveError) -> Matcher {
        var matcher = Matcher()
        if let name = arguments.string("comparator") {
            guard let comparator = Comparator(rawValue: name) else {
                throw SieveError("There is no comparator `\(name)`.", at: arguments.position)
            }
            guard required.contains("comparator-\(name)") else {
                throw SieveError(
                    "This comparator needs `require \"comparator-\(name)\";` at the top of the script.",
                    at: arguments.position)
            }
            matcher.comparator = comparator
        }
        if arguments.has("contains") { matcher.kind = .contains }
        if arguments.has("matches") { matcher.kind = .matches }
        if arguments.has("regex") { matcher.kind = .regex }
        if let relation = arguments.string("value") {
            matcher.kind = .value(try self.relation(relation, arguments))
        }
        if let relation = arguments.string("count") {
            matcher.kind = .count(try self.relation(relation, arguments))
        }
        if matcher.comparator == .numeric, [.contains, .matches, .regex].contains(matcher.kind) {
            throw SieveError("Numbers have no parts that could be looked for.", at: arguments.position)
        }
        return matcher
    }

    private func relation(_ name: String, _ arguments: ReadArguments) throws(SieveError) -> Relation {
        guard let relation = Relation(rawValue: name.lowered) else {
            throw SieveError(
                "`\(name)` is not a relation: those are gt, ge, lt, le, eq and ne.", at: arguments.position)
        }
        return relation
    }
}

/// The fields that hold addresses, also by custom.
enum AddressFields {
    static let names: Set<String> = [
        "abuse-reports-to", "apparently-to", "bcc", "cc", "delivered-to", "disposition-notification-to",
        "envelope-to",
        "errors-to", "for-approval", "for-comment", "for-handling", "from", "mail-followup-to",
        "mail-reply-to",
        "read-receipt-to", "registered-mail-reply-requested-by", "reply-to", "resent-bcc", "resent-cc",
        "resent-from",
        "resent-reply-to", "resent-sender", "resent-to", "return-path", "return-receipt-requested",
        "return-receipt-to", "sender", "to", "x-admin", "x-beenthere", "x-complaints-to",
        "x-confirm-reading-to",
        "x-original-to", "x-report-abuse-to",
    ]
}
