/// Texts in keys of indexes, which PostgreSQL limits to about 2,700 bytes.
enum IndexKey {
    private static let longest = 1_000
    private static let kept = 900

    /// The text, or its beginning and two hashes of all of it.
    static func of(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        let beginning = String(decoding: text.utf8.prefix(kept), as: UTF8.self)
        return beginning + "\u{1F}"
            + [0xCBF2_9CE4_8422_2325, 0x9E37_79B9_7F4A_7C15].map { (start: UInt64) in
                String(text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }, radix: 16)
            }.joined(separator: "-")
    }
}
