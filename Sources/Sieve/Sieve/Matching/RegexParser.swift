/// Reads a regular expression. What would need more than one pass over the text is refused.
struct RegexParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var groups = 0
    private let deepest = 50
    /// As much as C libraries allow.
    private let mostRepetitions = 255

    private init(_ pattern: String) {
        scalars = Array(pattern.unicodeScalars)
    }

    static func parse(_ pattern: String) throws(SieveError) -> RegexNode {
        var parser = RegexParser(pattern)
        let node = try parser.choice(depth: 0)
        guard parser.peek == nil else { throw parser.error("a closing parenthesis has no opening one") }
        return node
    }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private func error(_ reason: String) -> SieveError {
        SieveError("This regular expression cannot be used: \(reason).")
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        index += 1
        return true
    }

    private mutating func choice(depth: Int) throws(SieveError) -> RegexNode {
        guard depth < deepest else { throw error("its parentheses are nested too deeply") }
        var branches = [try sequence(depth: depth)]
        while skip("|") { branches.append(try sequence(depth: depth)) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence(depth: Int) throws(SieveError) -> RegexNode {
        var pieces: [RegexNode] = []
        while let scalar = peek, scalar != "|", scalar != ")" { pieces.append(try piece(depth: depth)) }
        return pieces.count == 1 ? pieces[0] : .sequence(pieces)
    }

    private mutating func piece(depth: Int) throws(SieveError) -> RegexNode {
        var node = try atom(depth: depth)
        var repetitions = 0
        while let scalar = peek {
            switch scalar {
            case "*": node = .repeated(node, least: 0, most: nil)
            case "+": node = .repeated(node, least: 1, most: nil)
            case "?": node = .repeated(node, least: 0, most: 1)
            case "{":
                index += 1
                node = try interval(of: node)
                index -= 1
            default: return node
            }
            index += 1
            repetitions += 1
            guard repetitions < deepest else { throw error("a part of it is repeated too often") }
        }
        return node
    }

    private mutating func interval(of node: RegexNode) throws(SieveError) -> RegexNode {
        let least = number()
        var most = least
        if skip(",") {
            most = number()
        } else if least == nil {
            throw error("`{` must be followed by a number")
        }
        guard skip("}") else { throw error("`{` has no closing brace") }
        guard least ?? 0 <= mostRepetitions, most ?? 0 <= mostRepetitions, least ?? 0 <= most ?? Int.max
        else {
            throw error("a repetition must be from a smaller to a larger number, up to \(mostRepetitions)")
        }
        return .repeated(node, least: least ?? 0, most: most)
    }

    private mutating func number() -> Int? {
        var number: Int?
        while let digit = peek, digit.properties.numericType == .decimal, digit.isASCII {
            number = min((number ?? 0) * 10 + Int(digit.value - 0x30), 100_000)
            index += 1
        }
        return number
    }

    private mutating func atom(depth: Int) throws(SieveError) -> RegexNode {
        guard let scalar = peek else { return .empty }
        index += 1
        switch scalar {
        case ".": return .any
        case "^": return .begin
        case "$": return .end
        case "[": return .set(try bracket())
        case "(":
            groups += 1
            let number = groups
            let inner = try choice(depth: depth + 1)
            guard skip(")") else { throw error("an opening parenthesis has no closing one") }
            return .group(inner, number: number)
        case "*", "+", "?", "{": throw error("`\(scalar)` has nothing before it to repeat")
        case "\\": return try escaped()
        default: return .character(scalar.value)
        }
    }

    private mutating func escaped() throws(SieveError) -> RegexNode {
        guard let scalar = peek else { throw error("it ends with a backslash") }
        index += 1
        switch scalar {
        case "1"..."9": throw error("it refers back to a group, which no bounded search can do")
        case "w", "W":
            var set = RegexSet.word
            set.isNegated = scalar == "W"
            return .set(set)
        case "s", "S":
            var set = RegexSet.named("space") ?? RegexSet()
            set.isNegated = scalar == "S"
            return .set(set)
        case "b": return .boundary(.word)
        case "B": return .boundary(.notWord)
        case "<": return .boundary(.start)
        case ">": return .boundary(.end)
        case "`": return .begin
        case "'": return .end
        default: return .character(scalar.value)
        }
    }

    private mutating func bracket() throws(SieveError) -> RegexSet {
        var set = RegexSet()
        set.isNegated = skip("^")
        var isFirst = true
        while let scalar = peek {
            index += 1
            if scalar == "]", !isFirst { return set }
            isFirst = false
            if scalar == "[", peek == ":" {
                guard let named = try named(":").flatMap(RegexSet.named) else {
                    throw error("it names an unknown class of characters")
                }
                set.ranges += named.ranges
                continue
            }
            let first = try member(scalar)
            guard peek == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                set.ranges.append(first...first)
                continue
            }
            index += 2
            let last = try member(scalars[index - 1])
            guard first <= last else { throw error("a range ends before it begins") }
            set.ranges.append(first...last)
        }
        throw error("`[` has no closing bracket")
    }

    /// A character of a bracket expression, which may be written `[.x.]` or `[=x=]`.
    private mutating func member(_ scalar: Unicode.Scalar) throws(SieveError) -> UInt32 {
        guard scalar == "[", let sign = peek, sign == "." || sign == "=" else { return scalar.value }
        guard let name = try named(sign), name.unicodeScalars.count == 1,
            let only = name.unicodeScalars.first
        else { throw error("it names an unknown character") }
        return only.value
    }

    /// What is between `[:` and `:]`.
    private mutating func named(_ sign: Unicode.Scalar) throws(SieveError) -> String? {
        index += 1
        var name = ""
        while let scalar = peek {
            index += 1
            if scalar == sign, skip("]") { return name }
            name.unicodeScalars.append(scalar)
        }
        throw error("`[\(sign)` is not closed")
    }
}
