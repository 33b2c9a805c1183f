import FoundationEssentials
import MailKernelAPI

/// Makes ids that nobody has yet.
struct IDMaker: Sendable {
    private static let alphabet = Array("0123456789abcdefghijkmnpqrstuvwxyz")
    let clock: any HostClock

    /// Later ids sort after earlier ones, so that a store adds to the end of its tables. 50 random bits
    /// keep those of one millisecond apart.
    func next<Of>(_ prefix: Character) -> Id<Of> { Id(text(prefix)) }

    func text(_ prefix: Character) -> String {
        var text = String(prefix)
        let milliseconds = UInt64(max(0, clock.now.timeIntervalSince1970 * 1000))
        let count = UInt64(Self.alphabet.count)
        var time: [Character] = []
        var rest = milliseconds
        for _ in 0..<9 {
            time.append(Self.alphabet[Int(rest % count)])
            rest /= count
        }
        text.append(contentsOf: time.reversed())
        for _ in 0..<10 { text.append(Self.alphabet[Int.random(in: 0..<Self.alphabet.count)]) }
        return text
    }
}
