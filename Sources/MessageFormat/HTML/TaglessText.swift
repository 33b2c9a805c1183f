/// Text extracted from a page that cannot be parsed, by just removing the tags.
enum TaglessText {
    private static let limit = 1_000_000

    static func of(_ html: String) -> String {
        var output: [UInt8] = []
        var bytes = html.prefix(utf8: limit, isHTML: true).utf8[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "<"), let next = bytes.first, isTag(next) else {
                output.append(byte <= 0x20 ? 0x20 : byte)
                continue
            }
            // Where the rest has no end of a tag, it is text.
            guard let end = bytes.firstIndex(of: UInt8(ascii: ">")) else {
                output += bytes
                break
            }
            bytes = bytes[end...].dropFirst()
            output.append(0x20)
        }
        return String(decoding: output, as: UTF8.self).split(separator: " ").joined(separator: " ")
    }

    private static func isTag(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || "/!?".utf8.contains(byte)
    }
}
