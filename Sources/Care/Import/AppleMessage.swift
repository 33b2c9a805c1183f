import FoundationEssentials
import MailKernelAPI

/// A message as Apple Mail keeps it (`.emlx`): the number of its bytes in a line, the message, and a property list.
struct AppleMessage {
    static let ending = ".emlx"

    let bytes: Data
    let keywords: Set<Keyword>
    let isDeleted: Bool
    /// The file does not have as many bytes as it says, or does not say how many.
    let isDamaged: Bool

    init(_ file: Data) throws(BrokenFile) {
        let (text, count) = Self.counted(file)
        var properties: Data
        if let count, count > 0, count <= text.count {
            (bytes, properties, isDamaged) = (Data(text.prefix(count)), Data(text.dropFirst(count)), false)
        } else {
            (bytes, properties) = Self.split(text)
            isDamaged = true
            guard MailSniff.isMessage(bytes) else {
                let hasCount = count != nil
                throw BrokenFile(
                    reason: hasCount ? "the file is damaged; no message is left in it" : "it contains no mail"
                )
            }
        }
        let flags = Self.flags(in: Data(properties.prefix(Self.longestProperties)))
        let meaning: [(Int, Keyword)] = [
            (1, .seen), (1 << 2, .answered), (1 << 4, .flagged), (1 << 8, .forwarded),
        ]
        keywords = Set(meaning.filter { flags & $0.0 != 0 }.map(\.1))
        isDeleted = flags & (1 << 1) != 0
    }

    private static let longestProperties = 100_000

    /// What stands below the first line, and the number in that line; the whole file if it is no number.
    private static func counted(_ file: Data) -> (text: Data, count: Int?) {
        guard let lineEnd = file.prefix(20).firstIndex(of: UInt8(ascii: "\n")),
            let count = Int(
                String(decoding: file[file.startIndex..<lineEnd], as: UTF8.self)
                    .split(whereSeparator: \.isWhitespace).joined())
        else { return (Data(file.drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }), nil) }
        return (Data(file[(lineEnd + 1)...]), count)
    }

    /// A message and the property list below it, if the end of the file is one.
    private static func split(_ text: Data) -> (message: Data, properties: Data) {
        let end = text.suffix(longestProperties)
        guard let begin = end.lastRange(of: Data("<?xml".utf8))?.lowerBound,
            begin == text.startIndex || text[begin - 1] == UInt8(ascii: "\n"),
            text[begin...].firstRange(of: Data("<plist".utf8)) != nil,
            text.suffix(20).firstRange(of: Data("</plist>".utf8)) != nil
        else { return (text, Data()) }
        return (Data(text[..<begin]), Data(text[begin...]))
    }

    private static func flags(in properties: Data) -> Int {
        guard let key = properties.place(of: "<key>flags</key>", from: 0) else { return 0 }
        let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
        let number = properties[key...].prefix(200).drop { !isDigit($0) }.prefix(while: isDigit)
        return Int(String(decoding: number, as: UTF8.self)) ?? 0
    }

    /// The mailbox among the folders of a file, which has others inside: `Work.mbox/A1B2/Data/Messages/1.emlx`.
    static func mailbox(_ folders: ArraySlice<String>) -> ArraySlice<String> {
        guard let box = folders.lastIndex(where: { $0.lowercased().hasSuffix(".mbox") }) else {
            return folders.last == "Messages" ? folders.dropLast() : folders
        }
        return folders[...box]
    }
}
