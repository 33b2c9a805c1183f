import FoundationEssentials
import Glibc

/// One figure: what was measured, beside what, and whether it is where it shall be.
struct Figure: Codable {
    var id: String
    var what: String
    var value: Double
    var unit: String
    /// What it is compared with, measured in the same run, or a limit.
    var against: String
    var ratio: Double
    /// The ratio that it may have at most.
    var goal: Double
    var holds: Bool

    init(
        _ id: String, _ what: String, _ value: Double, _ unit: String, against: String, _ other: Double,
        goal: Double = 1
    ) {
        self.id = id
        self.what = what
        self.value = value
        self.unit = unit
        self.against = against
        self.goal = goal
        ratio = value / other
        holds = ratio <= goal
    }
}

/// The figures of a run, as a table and as JSON.
struct Report {
    private(set) var figures: [Figure] = []

    mutating func add(_ figure: Figure) {
        figures.append(figure)
        print(Self.line(figure))
        // Into a file, too, as it is measured.
        fflush(nil)
    }

    private var failures = 0

    /// Whether nothing broke; figures may still be beyond their limits.
    var isWhole: Bool { failures == 0 }

    var summary: String {
        let missed = figures.filter { !$0.holds }.map(\.id)
        let those = missed.isEmpty ? "" : " (\(missed.joined(separator: ", ")))"
        return "\(figures.count) figures, \(missed.count) of them beyond their limit\(those), "
            + "\(failures) broken"
    }

    /// Says that a family of figures ended before its time; the others are measured all the same.
    mutating func fail(_ id: String, _ reason: String) {
        failures += 1
        print("\(Self.padded(id, 30))BROKEN: \(reason)")
        fflush(nil)
    }

    /// Says why something was not measured.
    func leaveOut(_ id: String, _ reason: String) {
        print("\(Self.padded(id, 30))not measured: \(reason)")
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(figures).write(to: URL(filePath: path), options: .atomic)
    }

    private static func line(_ figure: Figure) -> String {
        let verdict = figure.holds ? "holds" : "MISSED"
        return "\(padded(figure.id, 30))\(padded(rounded(figure.value) + " " + figure.unit, 14))"
            + "\(padded(rounded(figure.ratio) + "×", 9))of \(figure.against), goal \(rounded(figure.goal))×: \(verdict)"
            + "\n    \(figure.what)"
    }

    private static func rounded(_ value: Double) -> String {
        let digits = abs(value) < 10 ? 100.0 : 10.0
        return "\((value * digits).rounded() / digits)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

/// The middle of several runs: these machines are shared, and a mean would show who else was at work.
func median(of runs: Int, _ measure: () async throws -> Double) async rethrows -> Double {
    var values: [Double] = []
    for _ in 0..<runs { values.append(try await measure()) }
    return values.sorted()[runs / 2]
}

/// Medians of two measures that take turns, so that both meet the same weather.
func medians(
    of runs: Int, _ one: () async throws -> Double, _ other: () async throws -> Double
) async rethrows -> (Double, Double) {
    var ones: [Double] = []
    var others: [Double] = []
    for _ in 0..<runs {
        ones.append(try await one())
        others.append(try await other())
    }
    return (ones.sorted()[runs / 2], others.sorted()[runs / 2])
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}
