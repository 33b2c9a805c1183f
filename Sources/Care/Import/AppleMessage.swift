import FoundationEssentials
import MailKernelAPI

/// A message as Apple Mail keeps it (`.emlx`): the number of its bytes in a line, the message, and a property list.
struct AppleMessage {
    static let ending = ".emlx"

    let bytes: Data
    let keywords: Set<Keyword>
    let isDeleted: Bool

    /// Nil if the file is not of this form.
    init?(_ file: Data) {
        guard let lineEnd = file.prefix(20).firstIndex(of: UInt8(ascii: "\n")),
            let count = Int(
                String(decoding: file[file.startIndex..<lineEnd], as: UTF8.self)
                    .split(whereSeparator: \.isWhitespace).joined()),
            count > 0, count <= file.endIndex - lineEnd - 1
        else { return nil }
        bytes = Data(file[(lineEnd + 1)...].prefix(count))
        let flags = Self.flags(in: Data(file[(lineEnd + 1 + count)...].prefix(100_000)))
        let meaning: [(Int, Keyword)] = [
            (1, .seen), (1 << 2, .answered), (1 << 4, .flagged), (1 << 8, .forwarded),
        ]
        keywords = Set(meaning.filter { flags & $0.0 != 0 }.map(\.1))
        isDeleted = flags & (1 << 1) != 0
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
