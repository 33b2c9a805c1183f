import Dispatch
import FoundationEssentials

/// How long something takes, in milliseconds.
struct Waiting: Sendable {
    let median: Double
    let p95: Double

    init(_ samples: Samples) {
        let sorted = samples.values.sorted()
        median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
        p95 = samples.p95
    }

    /// For the text of a figure, which shows the p95 by itself.
    var besides: String { "median \(rounded(median))" }

    var description: String { "median \(rounded(median)), p95 \(rounded(p95)) ms" }
}

func rounded(_ value: Double) -> String {
    let digits = abs(value) < 10 ? 100.0 : 10.0
    return "\((value * digits).rounded() / digits)"
}

/// Measures in three rounds, after one that warms up. The p95 is of all samples: a median of rounds would hide a slow one.
func waiting<Questions: Collection>(
    over questions: Questions, times: Int = 1, _ body: (Questions.Element) async throws -> Void
) async rethrows -> Waiting {
    for question in questions { try await body(question) }
    var samples = Samples()
    for _ in 0..<3 * times {
        for question in questions { samples.add(try await milliseconds { try await body(question) }) }
    }
    return Waiting(samples)
}

/// Runs what blocks on a thread of its own, so that it takes none from tasks.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "bench.user").async { continuation.resume(with: Result { try body() }) }
    }
}
