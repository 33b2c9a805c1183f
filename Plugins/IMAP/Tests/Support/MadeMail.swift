import FoundationEssentials

/// Messages of many sizes, the same for the same seed.
public struct MadeMail: Sequence, IteratorProtocol {
    private static let words = (0..<700).map { "word\($0)" }

    private var random: SeededRandom
    private var left: Int
    private var number = 0

    public init(count: Int, seed: UInt64 = 1) {
        random = SeededRandom(seed)
        left = count
    }

    public mutating func next() -> Data? {
        guard left > 0 else { return nil }
        left -= 1
        number += 1
        // Sizes as in real mailboxes: most are small, few hold attachments, which make up most of the bytes.
        let text = text(of: Int(logNormal(median: 5_000, spread: 1.2)))
        let header =
            "From: <user\(number % 300)@example.test>\r\nTo: <me@example.test>\r\nSubject: \(line(6))\r\n"
            + "Message-ID: <\(number).\(left)@example.test>\r\nDate: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
            + "MIME-Version: 1.0\r\n"
        if number.isMultiple(of: 25) {
            return Data((header + attached(to: text)).utf8)
        }
        return Data((header + "Content-Type: text/plain; charset=utf-8\r\n\r\n\(text)\r\n").utf8)
    }

    private mutating func attached(to text: String) -> String {
        let size = Int(Swift.min(4e6, logNormal(median: 160_000, spread: 1)))
        let bytes = Data((0..<size / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
        return
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n\(text)\r\n"
            + "--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n"
            + "Content-Transfer-Encoding: base64\r\n\r\n\(lines(bytes.base64EncodedString()))\r\n--b--\r\n"
    }

    private func lines(_ text: String) -> String {
        var lines: [Substring.UTF8View] = []
        var rest = text.utf8[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        return lines.map { String(Substring($0)) }.joined(separator: "\r\n")
    }

    private mutating func text(of size: Int) -> String {
        var text = ""
        while text.utf8.count < size { text += line(12) + "\r\n" }
        return text
    }

    private mutating func line(_ count: Int) -> String {
        (0..<count).map { _ in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
            .joined(separator: " ")
    }

    /// By the sum of twelve even ones, which is close enough to a normal one.
    private mutating func logNormal(median: Double, spread: Double) -> Double {
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        // e^x by its series: FoundationEssentials has no exp.
        var power = 1.0
        var term = 1.0
        for step in 1...60 {
            term *= normal * spread / Double(step)
            power += term
        }
        return median * Swift.max(power, 0.01)
    }
}

/// Random numbers that are the same for the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(_ seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
