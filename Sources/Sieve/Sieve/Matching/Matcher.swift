/// What a test compares values with: `:is`, `:contains`, `:matches`, `:regex`, `:value` or `:count`, and a comparator.
struct Matcher {
    enum Kind: Equatable {
        case equal
        case contains
        case matches
        case regex
        case value(Relation)
        case count(Relation)
    }

    var kind = Kind.equal
    var comparator = Comparator.casemap

    /// A key that is ready to be compared.
    enum Key {
        case text(Bytes)
        case wildcard(Wildcard)
        case regex(RegexProgram)
    }

    func key(_ text: Bytes, limits: SieveLimits) throws(SieveError) -> Key {
        switch kind {
        case .equal, .contains, .value, .count: .text(comparator.folded(text))
        case .matches: .wildcard(Wildcard(comparator.folded(text)))
        case .regex:
            .regex(
                try RegexProgram(
                    text.text, ignoringCase: comparator == .casemap, limit: limits.regexSize))
        }
    }

    /// What a value matched: the whole and the parts that the wildcards or groups stand for.
    struct Found {
        var values: [Bytes] = []
    }

    /// Whether a value matches a key; nil if not.
    func match(
        _ value: Bytes, _ key: Key, needsValues: Bool, budget: Budget
    ) throws(SieveError) -> Found? {
        try budget.spend(value.count + 1)
        switch key {
        case .text(let key):
            if kind == .contains {
                return try contains(value, key, budget) ? Found() : nil
            }
            let folded = comparator.folded(value)
            switch kind {
            case .equal, .contains, .matches, .regex, .count:
                return comparator.order(folded, key) == 0 ? Found() : nil
            case .value(let relation): return relation.holds(comparator.order(folded, key)) ? Found() : nil
            }
        case .wildcard(let wildcard):
            guard let ranges = try wildcard.match(comparator.folded(value), budget: budget) else {
                return nil
            }
            return needsValues ? Found(values: ranges.map { Bytes(value[$0]) }) : Found()
        case .regex(let program):
            let ranges = try RegexSearch.match(program, value, needsGroups: needsValues, budget: budget)
            guard let ranges else { return nil }
            return needsValues ? Found(values: ranges.map { $0.map { Bytes(value[$0]) } ?? [] }) : Found()
        }
    }

    /// Folds no more of a text than it compares: most texts are long, and do not contain the key.
    private func contains(_ text: Bytes, _ key: Bytes, _ budget: Budget) throws(SieveError) -> Bool {
        guard let first = key.first else { return true }
        guard key.count <= text.count else { return false }
        let folds = comparator == .casemap
        // The key is folded to upper case.
        let other = folds ? first.lowered : first
        return try text.withUnsafeBufferPointer { text throws(SieveError) in
            for place in 0...(text.count - key.count) where text[place] == first || text[place] == other {
                var length = 1
                while length < key.count,
                    key[length] == (folds ? text[place + length].raised : text[place + length])
                { length += 1 }
                if length == key.count { return true }
                try budget.spend(length)
            }
            return false
        }
    }
}
