import FoundationEssentials
import MailKernelAPI

/// What Thunderbird writes above each message of an mbox. It is about the message and no part of it.
struct MozillaFields: Equatable {
    private static let ours = ["x-mozilla-status", "x-mozilla-status2", "x-mozilla-keys"]
    /// Written there too, and left where they are.
    private static let neighbors = ["x-account-key", "x-uidl"]
    private static let longest = 100_000

    /// Whether Thunderbird wrote any.
    private(set) var isPresent = false
    private(set) var keywords: Set<Keyword> = []
    /// Deleted in Thunderbird, which keeps it in the file until the folder is compacted.
    private(set) var isDeleted = false

    /// Takes them off a message. Only those on top count: what stands further below came with the message.
    init(takenFrom message: inout Data) {
        let bytes = message
        var removed: [Range<Int>] = []
        var start = 0
        while start < Self.longest, let field = Self.field(in: bytes, at: start) {
            if Self.ours.contains(field.name) {
                note(field.name, field.value)
                removed.append(start..<field.end)
            } else if !Self.neighbors.contains(field.name) {
                break
            }
            start = field.end
        }
        for range in removed.reversed() { message.removeSubrange(range) }
        isPresent = !removed.isEmpty
        if isPresent { message = Data(message) }
    }

    private mutating func note(_ name: String, _ value: String) {
        if name == "x-mozilla-keys" {
            for word in value.split(whereSeparator: \.isWhitespace).prefix(100) {
                if let keyword = Self.keyword(word) { keywords.insert(keyword) }
            }
        } else if name == "x-mozilla-status", let flags = UInt32(value.filter { !$0.isWhitespace }, radix: 16)
        {
            let meaning: [(UInt32, Keyword)] = [
                (0x0001, .seen), (0x0002, .answered), (0x0004, .flagged), (0x1000, .forwarded),
            ]
            for (flag, keyword) in meaning where flags & flag != 0 { keywords.insert(keyword) }
            if flags & 0x0008 != 0 { isDeleted = true }
        }
    }

    /// The keyword that programs call so; nil if it is none. Those that JMAP has for flags are never written so.
    static func keyword(_ word: some StringProtocol) -> Keyword? {
        switch word.lowercased() {
        case "junk": .junk
        case "nonjunk": .notJunk
        case "$seen", "$draft", "$flagged", "$answered": nil
        default: isKeyword(word) ? Keyword(String(word)) : nil
        }
    }

    /// RFC 8621, section 4.1.1.
    private static func isKeyword(_ word: some StringProtocol) -> Bool {
        word.utf8.count <= 255
            && word.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"(){]%*\"\\".utf8.contains($0) }
    }

    private static func field(in bytes: Data, at start: Int) -> (name: String, value: String, end: Int)? {
        guard var end = bytes.place(of: "\n", from: start),
            let colon = bytes[start..<end].prefix(20).firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        while end + 1 < bytes.count, bytes[end + 1] == 0x20 || bytes[end + 1] == 0x09,
            let next = bytes.place(of: "\n", from: end + 1)
        {
            end = next
        }
        return (
            String(decoding: bytes[start..<colon], as: UTF8.self).lowercased(),
            String(decoding: bytes[(colon + 1)..<end], as: UTF8.self), end + 1
        )
    }
}
