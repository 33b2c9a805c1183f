/// Numbers that look random and are the same every time: the demo is the same for all.
struct DemoRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number of the range, which is not empty.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// One of the texts; empty if there are none.
    mutating func pick(_ texts: [String]) -> String {
        texts.isEmpty ? "" : texts[number(0...texts.count - 1)]
    }

    mutating func pick<Value>(_ values: [Value], or other: Value) -> Value {
        values.isEmpty ? other : values[number(0...values.count - 1)]
    }

    mutating func shuffled<Value>(_ values: [Value]) -> [Value] {
        var left = values
        var mixed: [Value] = []
        while !left.isEmpty { mixed.append(left.remove(at: number(0...left.count - 1))) }
        return mixed
    }

    mutating func hexadecimal(_ count: Int) -> String {
        String((String(next(), radix: 16) + String(next(), radix: 16)).prefix(count))
    }
}
