/// A regular expression as instructions of a machine that reads each character of a text once.
struct RegexProgram {
    enum Instruction {
        case character(UInt32)
        case any
        case set(RegexSet)
        case begin
        case end
        case boundary(RegexBoundary)
        /// Goes on at both places, first at the first one.
        case split(Int, Int)
        case jump(Int)
        /// Notes the place as the beginning or end of a group.
        case save(Int)
        case accept
    }

    private(set) var instructions: [Instruction] = []
    let ignoresCase: Bool
    private(set) var slots = 2
    private let limit: Int
    /// Parts that were compiled: what is repeated zero times makes no instruction, but takes time as well.
    private var parts = 0

    init(_ pattern: String, ignoringCase: Bool, limit: Int) throws(SieveError) {
        ignoresCase = ignoringCase
        self.limit = limit
        try add(try RegexParser.parse(pattern))
        instructions.append(.accept)
    }

    private mutating func emit(_ instruction: Instruction) throws(SieveError) {
        guard instructions.count < limit else {
            throw SieveError("This regular expression is too large.")
        }
        instructions.append(instruction)
    }

    private mutating func add(_ node: RegexNode) throws(SieveError) {
        parts += 1
        guard parts <= limit * 4 else { throw SieveError("This regular expression is too large.") }
        switch node {
        case .empty: break
        case .character(let scalar): try emit(.character(ignoresCase ? scalar.lowered : scalar))
        case .any: try emit(.any)
        case .set(let set): try emit(.set(set))
        case .begin: try emit(.begin)
        case .end: try emit(.end)
        case .boundary(let boundary): try emit(.boundary(boundary))
        case .group(let inner, let number):
            slots = max(slots, number * 2 + 2)
            try emit(.save(number * 2))
            try add(inner)
            try emit(.save(number * 2 + 1))
        case .sequence(let nodes): for node in nodes { try add(node) }
        case .choice(let branches): try add(branches: branches)
        case .repeated(let inner, let least, let most): try add(inner, least: least, most: most)
        }
    }

    private mutating func add(branches: [RegexNode]) throws(SieveError) {
        var jumps: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try add(branch)
                break
            }
            let split = instructions.count
            try emit(.split(split + 1, split + 1))
            try add(branch)
            jumps.append(instructions.count)
            try emit(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func add(_ node: RegexNode, least: Int, most: Int?) throws(SieveError) {
        for _ in 0..<least { try add(node) }
        guard let most else {
            let split = instructions.count
            try emit(.split(split + 1, split + 1))
            try add(node)
            try emit(.jump(split))
            instructions[split] = .split(split + 1, instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in least..<max(least, most) {
            splits.append(instructions.count)
            try emit(.split(0, 0))
            try add(node)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }
}
