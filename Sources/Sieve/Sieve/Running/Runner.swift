/// Runs one script on one message.
final class Runner {
    /// How a block ended.
    enum Ending {
        case end
        case stop
        /// Leaves the loop with this name, or the innermost one.
        case leave(String?)
    }

    let facts: MessageFacts
    let host: any SieveHost
    let limits: SieveLimits
    let budget: Budget
    let remembersMatches: Bool
    var variables: [String: Bytes] = [:]
    var matchValues: [Bytes] = []
    /// The flags of the message: what `setflag` and its like change unless they name a variable.
    var flags: [Bytes] = []
    var actions = ActionList()
    /// Where the step stands that is carried out.
    private(set) var position: SievePosition?
    /// What led to the flags of the message.
    private var flagOrigins: [SievePosition] = []
    var marks: [SieveDuplicateMark: Bool] = [:]
    private var markOrder: [SieveDuplicateMark] = []
    /// The parts of the loops around the step; the last one is the current part.
    var loopParts: [SievePart] = []

    init(_ message: any SieveMessage, _ host: any SieveHost, limits: SieveLimits, remembersMatches: Bool) {
        budget = Budget(limits.steps)
        facts = MessageFacts(message, limits: limits, budget: budget)
        self.host = host
        self.limits = limits
        self.remembersMatches = remembersMatches
    }

    func run(_ steps: [Step]) throws(SieveError) -> SieveVerdict {
        _ = try perform(steps)
        if actions.keepsImplicitly {
            try actions.add(
                .keep(flags: flags.map(\.text), isImplicit: true), from: flagOrigins, limits: limits)
        }
        return SieveVerdict(
            actions: actions.actions, origins: actions.origins, duplicateMarks: markOrder)
    }

    func perform(_ steps: [Step]) throws(SieveError) -> Ending {
        for step in steps {
            do {
                try budget.spend()
                position = step.position
                let ending = try perform(step.operation)
                if case .end = ending { continue }
                return ending
            } catch {
                throw SieveError(error.message, at: error.position ?? step.position)
            }
        }
        return .end
    }

    private func perform(_ operation: Operation) throws(SieveError) -> Ending {
        switch operation {
        case .choose(let branches):
            for branch in branches {
                guard let condition = branch.condition else { return try perform(branch.steps) }
                if try holds(condition) { return try perform(branch.steps) }
            }
        case .stop: return .stop
        case .leave(let name): return .leave(name)
        case .forEveryPart(let name, let steps): return try loop(name, steps)
        case .set(let name, let value, let modifiers):
            variables[name] = try modified(text(value), by: modifiers)
        case .changeFlags(let change, let variable, let flags): try changeFlags(change, variable, flags)
        case .extractText(let name, let first, let modifiers):
            try extractText(name, first: first, modifiers)
        case .fail(let reason): throw SieveError(try text(reason).text)
        case .keep, .discard, .fileInto, .redirect, .reject, .vacation, .notify: try act(operation)
        }
        return .end
    }

    private func loop(_ name: String?, _ steps: [Step]) throws(SieveError) -> Ending {
        let parts = loopParts.last.map { Array(facts.parts(of: $0).dropFirst()) } ?? facts.allParts
        for part in parts {
            try budget.spend()
            loopParts.append(part)
            defer { loopParts.removeLast() }
            switch try perform(steps) {
            case .end: continue
            case .stop: return .stop
            case .leave(let wanted): return wanted == nil || wanted == name ? .end : .leave(wanted)
            }
        }
        return .end
    }

    private func extractText(_ name: String, first: Int?, _ modifiers: [String]) throws(SieveError) {
        guard let part = loopParts.last else { return }
        let text = part.parts.isEmpty ? try facts.text(of: part, isPlain: true) : []
        let characters = first.map { Self.prefix(text, characters: $0) } ?? text
        variables[name] = try modified(characters, by: modifiers)
    }

    private static func prefix(_ text: Bytes, characters: Int) -> Bytes {
        var left = characters
        guard
            let end = text.firstIndex(where: { byte in
                if !byte.isContinuation { left -= 1 }
                return left < 0
            })
        else { return text }
        return Bytes(text[..<end])
    }

    private func modified(_ text: Bytes, by modifiers: [String]) throws(SieveError) -> Bytes {
        try budget.spend(text.count)
        var text = text.limited(to: limits.variableSize)
        for modifier in modifiers { text = VariableText.modified(text, by: modifier) }
        return text.limited(to: limits.variableSize)
    }

    private func changeFlags(
        _ change: FlagChange, _ variable: String, _ templates: [StringTemplate]
    ) throws(SieveError) {
        let old = variable.isEmpty ? flags : FlagList.flags(in: [variables[variable] ?? []])
        let given = FlagList.flags(in: try texts(templates))
        let new =
            switch change {
            case .set: given
            case .add: FlagList.flags(in: old + given)
            case .remove: FlagList.removed(given, from: old)
            }
        if variable.isEmpty {
            flags = new
            noteFlags(change)
        } else {
            variables[variable] = Bytes(new.joined(separator: [0x20])).limited(to: limits.variableSize)
        }
    }

    private func noteFlags(_ change: FlagChange) {
        if change == .set { flagOrigins = [] }
        guard let position, flagOrigins.count < FlagList.most, !flagOrigins.contains(position) else { return }
        flagOrigins.append(position)
    }

    /// The script's place of the step that is carried out, with what led to the flags if the step takes them.
    func origin(withFlags: Bool = false) -> [SievePosition] {
        let own = position.map { [$0] } ?? []
        return withFlags ? flagOrigins.filter { $0 != position } + own : own
    }

    /// The text of a string with the values of its variables.
    func text(_ template: StringTemplate) throws(SieveError) -> Bytes {
        if let constant = template.constant { return constant }
        var text: Bytes = []
        for piece in template.pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .variable(let name): text += variables[name] ?? []
            case .match(let number): text += matchValues.indices.contains(number) ? matchValues[number] : []
            }
            try budget.spend(text.count)
        }
        return text
    }

    func texts(_ templates: [StringTemplate]) throws(SieveError) -> [Bytes] {
        var found: [Bytes] = []
        for template in templates { found.append(try text(template)) }
        return found
    }

    /// Whether this was seen before; asked only once for a message.
    func isDuplicate(_ mark: SieveDuplicateMark) -> Bool {
        if let known = marks[mark] { return known }
        let isKnown = host.isDuplicate(mark)
        marks[mark] = isKnown
        if !isKnown || mark.isExtended { markOrder.append(mark) }
        return isKnown
    }
}
