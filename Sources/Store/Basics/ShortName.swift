/// A short name for a text of any length, such as the key of a document about it. Equal texts have equal names; two
/// different ones practically never do.
package enum ShortName {
    /// By FNV-1a with 64 bits.
    package static func of(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }
}
