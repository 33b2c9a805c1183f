/// Looks for a regular expression: the leftmost match, and the longest there.
///
/// All ways to match go through the text side by side, and two that are at the same instruction become one. So the
/// time is at most that of the text times that of the expression.
struct RegexSearch {
    private struct Thread {
        var instruction: Int
        /// Places in bytes: those of the match, then those of its groups. -1 where there is none.
        var slots: [Int]
    }

    private let program: RegexProgram
    private let text: Bytes
    private let budget: Budget
    private let needsGroups: Bool
    /// The step in which an instruction was last reached.
    private var reached: [Int]
    private var step = 0
    private var before: UInt32?
    private var after: UInt32?
    private var found: [Int]?

    private init(_ program: RegexProgram, _ text: Bytes, needsGroups: Bool, _ budget: Budget) {
        self.program = program
        self.text = text
        self.needsGroups = needsGroups
        self.budget = budget
        reached = Array(repeating: -1, count: program.instructions.count)
    }

    /// The ranges of the match and of its groups; nil if the text does not match. Without `needsGroups` the ranges
    /// of a match are of no use.
    static func match(
        _ program: RegexProgram, _ text: Bytes, needsGroups: Bool, budget: Budget
    ) throws(SieveError) -> [Range<Int>?]? {
        var search = RegexSearch(program, text, needsGroups: needsGroups, budget)
        try search.run()
        guard let found = search.found else { return nil }
        return stride(from: 0, to: found.count - 1, by: 2).map { slot in
            let (start, end) = (found[slot], found[slot + 1])
            return start >= 0 && end >= start ? start..<end : nil
        }
    }

    private mutating func run() throws(SieveError) {
        var threads: [Thread] = []
        var place = 0
        while true {
            let (scalar, end) = Self.scalar(in: text, at: place)
            after = scalar
            step += 1
            var next: [Thread] = []
            next.reserveCapacity(threads.count + 1)
            for thread in threads { try add(thread, at: place, to: &next) }
            if found == nil {
                var slots = Array(repeating: -1, count: needsGroups ? program.slots : 2)
                slots[0] = place
                try add(Thread(instruction: 0, slots: slots), at: place, to: &next)
            }
            if found != nil, !needsGroups { return }
            guard let scalar, found == nil || !next.isEmpty else { return }
            threads = next.compactMap { thread in
                guard found.map({ thread.slots[0] <= $0[0] }) ?? true, accepts(thread.instruction, scalar)
                else {
                    return nil
                }
                return Thread(instruction: thread.instruction + 1, slots: thread.slots)
            }
            before = scalar
            place = end
        }
    }

    private func accepts(_ instruction: Int, _ scalar: UInt32) -> Bool {
        switch program.instructions[instruction] {
        case .character(let wanted): (program.ignoresCase ? scalar.lowered : scalar) == wanted
        case .any: true
        case .set(let set): set.contains(scalar, ignoringCase: program.ignoresCase)
        case .begin, .end, .boundary, .split, .jump, .save, .accept: false
        }
    }

    /// Follows a thread to the instructions that read a character.
    private mutating func add(_ thread: Thread, at place: Int, to list: inout [Thread]) throws(SieveError) {
        var waiting = [thread]
        while var thread = waiting.popLast() {
            try budget.spend()
            let index = thread.instruction
            guard reached[index] != step else { continue }
            reached[index] = step
            switch program.instructions[index] {
            case .character, .any, .set:
                list.append(thread)
                continue
            case .split(let first, let second):
                waiting.append(Thread(instruction: second, slots: thread.slots))
                thread.instruction = first
            case .jump(let target): thread.instruction = target
            case .save(let slot):
                if slot < thread.slots.count { thread.slots[slot] = place }
                thread.instruction = index + 1
            case .begin, .end, .boundary:
                guard holds(program.instructions[index], at: place) else { continue }
                thread.instruction = index + 1
            case .accept:
                accept(thread, at: place)
                continue
            }
            waiting.append(thread)
        }
    }

    private mutating func accept(_ thread: Thread, at place: Int) {
        if let found, found[0] < thread.slots[0] || found[0] == thread.slots[0] && found[1] >= place {
            return
        }
        found = thread.slots
        found?[1] = place
    }

    private func holds(_ instruction: RegexProgram.Instruction, at place: Int) -> Bool {
        switch instruction {
        case .begin: place == 0
        case .end: place >= text.count
        case .boundary(.word): (before?.isWord ?? false) != (after?.isWord ?? false)
        case .boundary(.notWord): (before?.isWord ?? false) == (after?.isWord ?? false)
        case .boundary(.start): !(before?.isWord ?? false) && after?.isWord ?? false
        case .boundary(.end): before?.isWord ?? false && !(after?.isWord ?? false)
        case .character, .any, .set, .split, .jump, .save, .accept: true
        }
    }

    /// The character at a place, and where it ends. A byte that begins none stands for itself.
    private static func scalar(in text: Bytes, at place: Int) -> (UInt32?, Int) {
        guard place < text.count else { return (nil, place) }
        let first = text[place]
        guard first >= 0xc0 else { return (UInt32(first), place + 1) }
        let length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
        var scalar = UInt32(first) & (0xff >> UInt32(length + 1))
        var end = place + 1
        while end < min(text.count, place + length), text[end].isContinuation {
            scalar = scalar << 6 | UInt32(text[end] & 0x3f)
            end += 1
        }
        return (scalar, end)
    }
}
