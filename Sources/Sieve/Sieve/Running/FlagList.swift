/// Flags as a script writes them: words in strings (RFC 5232).
enum FlagList {
    private static let system: Set<String> = ["\\answered", "\\flagged", "\\deleted", "\\seen", "\\draft"]
    static let most = 100

    /// Each valid flag once, in order.
    static func flags(in texts: [Bytes]) -> [Bytes] {
        var seen: Set<Bytes> = []
        var flags: [Bytes] = []
        for text in texts {
            for word in text.split(whereSeparator: { $0.isSpace }) {
                let flag = Bytes(word)
                guard isValid(flag), flags.count < most, seen.insert(flag.lowered).inserted else { continue }
                flags.append(flag)
            }
        }
        return flags
    }

    private static func isValid(_ flag: Bytes) -> Bool {
        if flag.first == UInt8(ascii: "\\") { return system.contains(flag.lowered.text) }
        return flag.allSatisfy { $0 > 0x20 && $0 < 0x7f && !Bytes("(){]%*\"\\".utf8).contains($0) }
    }

    static func removed(_ flags: [Bytes], from all: [Bytes]) -> [Bytes] {
        let removed = Set(flags.map(\.lowered))
        return all.filter { !removed.contains($0.lowered) }
    }
}
