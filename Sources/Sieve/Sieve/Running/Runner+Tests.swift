extension Runner {
    func holds(_ condition: Condition) throws(SieveError) -> Bool {
        try budget.spend()
        switch condition {
        case .constant(let holds): return holds
        case .not(let inner): return try !holds(inner)
        case .all(let conditions):
            for inner in conditions where try !holds(inner) { return false }
            return true
        case .any(let conditions):
            for inner in conditions where try holds(inner) { return true }
            return false
        case .header, .address, .envelope, .exists, .size, .body, .date, .currentDate:
            return try holdsForMessage(condition)
        case .string(let sources, let keys):
            let values = try texts(sources)
            return try matches(values, keys, count: values.count { !$0.isEmpty })
        case .hasFlag(let variables, let keys): return try hasFlag(variables, keys)
        case .mailboxExists(let names):
            for name in try texts(names) where !host.mailboxExists(name.text) { return false }
            return true
        case .duplicate(let condition): return try isDuplicate(condition)
        case .environment(let item, let keys):
            guard let value = host.environment(try text(item).lowered.text) else { return false }
            return try matches([value.bytes], keys)
        case .validMethod(let methods):
            for method in try texts(methods) where !NotifyMethod.isSupported(method, limits) { return false }
            return true
        case .methodCapability(let method, let capability, let keys):
            guard NotifyMethod.isSupported(try text(method), limits),
                try text(capability).lowered.text == "online"
            else { return false }
            return try matches(["maybe".bytes], keys)
        case .search(let name, let position):
            switch host.search(name) {
            case .matches(let matches): return matches
            case .unusable(let sentence): throw SieveError(sentence, at: position)
            }
        }
    }

    private func hasFlag(_ names: [StringTemplate], _ keys: KeyList) throws(SieveError) -> Bool {
        guard !names.isEmpty else { return try matches(flags, keys) }
        let values = try texts(names).flatMap { FlagList.flags(in: [variables[$0.text] ?? []]) }
        return try matches(values, keys)
    }

    private func isDuplicate(_ condition: DuplicateCondition) throws(SieveError) -> Bool {
        let id: Bytes?
        switch condition.identity {
        case .messageID: id = facts.fields("message-id", of: nil).first.map(EncodedWords.unfolded)
        case .header(let name): id = try facts.texts(try text(name).lowered.text, of: nil).first
        case .given(let value): id = try text(value)
        }
        guard let id, !id.isEmpty else { return false }
        var handle = ""
        if let given = condition.handle { handle = try text(given).text }
        return isDuplicate(
            SieveDuplicateMark(
                handle: handle, id: id.text, seconds: condition.seconds, isExtended: condition.isExtended))
    }

    /// Whether a value matches a key, or the number of values does.
    func matches(_ values: [Bytes], _ keys: KeyList, count: Int? = nil) throws(SieveError) -> Bool {
        if case .count(let relation) = keys.matcher.kind {
            let number = "\(count ?? values.count)".bytes
            for key in keys.keys {
                let text = keys.matcher.comparator.folded(try self.text(key.template))
                if relation.holds(keys.matcher.comparator.order(number, text)) { return true }
            }
            return false
        }
        var ready: [Matcher.Key] = []
        for key in keys.keys {
            if let known = key.ready {
                ready.append(known)
            } else {
                ready.append(try keys.matcher.key(try text(key.template), limits: limits))
            }
        }
        for value in values {
            for key in ready {
                let found = try keys.matcher.match(value, key, needsValues: remembersMatches, budget: budget)
                guard let found else { continue }
                remember(found, keys.matcher.kind)
                return true
            }
        }
        return false
    }

    private func remember(_ found: Matcher.Found, _ kind: Matcher.Kind) {
        guard remembersMatches, kind == .matches || kind == .regex else { return }
        matchValues = found.values.prefix(limits.matchValues + 1).map { $0.limited(to: limits.variableSize) }
    }
}
