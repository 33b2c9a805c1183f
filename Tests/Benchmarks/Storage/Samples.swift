import FoundationEssentials

/// Times of one thing that was done many times, in milliseconds.
struct Samples {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    var sum: Double { values.reduce(0, +) }

    /// What all but one of twenty stay below.
    var p95: Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * 0.95))]
    }

    var worst: Double { values.max() ?? .nan }
}

/// How long something takes, in milliseconds.
func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
    let began = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - began).milliseconds
}

/// The middle of three times the 95th percentile: these machines are shared.
func p95<Questions: Collection>(
    over questions: Questions, times: Int = 1, _ body: (Questions.Element) async throws -> Void
) async rethrows -> Double {
    for question in questions { try await body(question) }
    return try await median(of: 3) {
        var samples = Samples()
        for _ in 0..<times {
            for question in questions { samples.add(try await milliseconds { try await body(question) }) }
        }
        return samples.p95
    }
}
