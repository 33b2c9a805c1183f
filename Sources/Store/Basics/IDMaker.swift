import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Creates unique ids. Later ids sort after earlier ones: pending changes are sent in the order of their
/// names, and a store appends to its tables.
package final class IDMaker: Sendable {
    private static let alphabet = Array("0123456789abcdefghijkmnpqrstuvwxyz".utf8)
    private static let timeDigits = 11
    private static let randomDigits = 8

    private let clock: any HostClock
    /// The time in the last id, in microseconds. The clock may stand still, or go back.
    private let last = Mutex<UInt64>(0)

    package init(clock: any HostClock) {
        self.clock = clock
    }

    package func next<Of>(_ prefix: Character) -> Id<Of> { Id(text(prefix)) }

    /// From now on ids sort after this one, also if the clock was set back since it was made.
    package func follow(_ id: String) {
        var time: UInt64 = 0
        let digits = id.utf8.dropFirst().prefix(Self.timeDigits)
        guard digits.count == Self.timeDigits else { return }
        for digit in digits {
            guard let value = Self.alphabet.firstIndex(of: digit) else { return }
            time = time * UInt64(Self.alphabet.count) + UInt64(value)
        }
        last.withLock { $0 = max($0, time) }
    }

    package func text(_ prefix: Character) -> String {
        let now = UInt64(max(0, clock.now.timeIntervalSince1970 * 1_000_000))
        var rest = last.withLock { last in
            last = max(now, last + 1)
            return last
        }
        let count = UInt64(Self.alphabet.count)
        var digits = [UInt8](repeating: 0, count: Self.timeDigits)
        for index in digits.indices.reversed() {
            digits[index] = Self.alphabet[Int(rest % count)]
            rest /= count
        }
        // 40 random bits keep ids of several runs apart.
        for _ in 0..<Self.randomDigits {
            digits.append(Self.alphabet[Int.random(in: 0..<Self.alphabet.count)])
        }
        return String(prefix) + String(decoding: digits, as: UTF8.self)
    }
}
