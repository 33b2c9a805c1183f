import FoundationEssentials
import MailKernelAPI

/// The cursors of a folder account.
///
/// A round reports what happened between two steps: first arrivals, newest first, then changes and removals,
/// in order. The first round begins at step 0. A cursor contains both ends of the round and the last reported
/// item, so later changes do not affect it; they belong to the next round. `told` and `total` are for the
/// progress.
struct Cursor: Equatable {
    enum Position: Equatable {
        case start
        case new(received: Double, number: Int64)
        case changed(at: Int64, number: Int64)
    }

    var generation: Int64
    var from: Int64
    var to: Int64
    var told: Int64 = 0
    var total: Int64 = 0
    var position: Position = .start

    init(generation: Int64, from: Int64, to: Int64) {
        self.generation = generation
        self.from = from
        self.to = to
    }

    /// Reads what `text` wrote; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 6 || parts.count == 8, parts[0] == "1" else { return nil }
        let numbers = parts[1..<6].map { Int64($0) }.compactMap { $0 }
        guard numbers.count == 5, numbers.allSatisfy({ $0 >= 0 }), numbers[1] <= numbers[2] else {
            return nil
        }
        self.init(generation: numbers[0], from: numbers[1], to: numbers[2])
        (told, total) = (numbers[3], numbers[4])
        guard parts.count == 8 else { return }
        guard let number = Int64(parts[7]), let first = parts[6].first else { return nil }
        switch (first, parts[6].dropFirst()) {
        case ("n", let date):
            guard let bits = UInt64(date) else { return nil }
            position = .new(received: Double(bitPattern: bits), number: number)
        case ("c", let step):
            guard let step = Int64(step) else { return nil }
            position = .changed(at: step, number: number)
        default: return nil
        }
    }

    var text: String {
        let round = "1.\(generation).\(from).\(to).\(told).\(total)"
        return switch position {
        case .start: round
        case .new(let received, let number): "\(round).n\(received.bitPattern).\(number)"
        case .changed(let step, let number): "\(round).c\(step).\(number)"
        }
    }
}
