import MailKernelAPI

/// Reads the addresses of a header field in linear time. Invalid addresses are returned in full.
struct AddressListReader {
    private static let mostBytes = 4_000_000
    private static let mostPending = 20

    private let bytes: [UInt8]
    private var index = 0
    private var groups: [EmailAddressGroup] = []
    /// Whether the last group is one that was written.
    private var isInGroup = false
    /// Whether the last group is still open.
    private var isOpen = false
    private var entry = WrittenAddress()
    /// Words behind which there was a comma: local names, or the beginning of the next one's name.
    private var pending: [WrittenAddress] = []
    /// An unmatched quotation mark is taken literally, and so is an unmatched parenthesis.
    private let lastQuote: Int
    private var hasComments = true

    static func groups(in text: String) -> [EmailAddressGroup] {
        var reader = AddressListReader(Array(text.utf8.prefix(mostBytes)))
        reader.read()
        return reader.groups
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lastQuote = bytes.lastIndex(of: UInt8(ascii: "\"")) ?? -1
    }

    private mutating func read() {
        while index < bytes.count { step(bytes[index]) }
        endEntry(isLast: true)
    }

    private mutating func step(_ byte: UInt8) {
        let start = index
        index += 1
        switch byte {
        case 0...0x20, 0x7F: entry.endWord()
        case UInt8(ascii: ","): endEntry(isLast: false)
        case UInt8(ascii: ";"):
            endEntry(isLast: true)
            (isInGroup, isOpen) = (false, false)
        case UInt8(ascii: ":") where !isInGroup && !entry.hasAddress: beginGroup()
        case UInt8(ascii: "\"") where start < lastQuote: readQuoted(from: start)
        case UInt8(ascii: "(") where hasComments: readComment(from: start)
        case UInt8(ascii: "<"): readAngle()
        case UInt8(ascii: ">"): entry.endWord()
        case UInt8(ascii: "\\") where index < bytes.count:
            entry.add(bytes[index])
            index += 1
        case UInt8(ascii: "[") where entry.endsWithAt: readDomain(from: start)
        default: entry.add(byte)
        }
    }

    // MARK: Pieces

    private mutating func readQuoted(from start: Int) {
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            text.append(bytes[index])
            index += 1
        }
        index = min(index + 1, bytes.count)
        entry.add(raw: bytes[start..<index], text: text)
    }

    private mutating func readComment(from start: Int) {
        var text: [UInt8] = []
        var depth = 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                text.append(bytes[index])
                index += 1
                continue
            }
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 {
                if entry.comment == nil { entry.comment = text }
                return
            }
            text.append(byte)
        }
        // It is not closed, and so no other before it can be that is still open.
        hasComments = false
        index = start + 1
        entry.add(UInt8(ascii: "("))
    }

    /// Up to the closing bracket; up to a comma if that is missing.
    private mutating func readAngle() {
        var end = index
        while end < bytes.count, bytes[end] != UInt8(ascii: ">"), bytes[end] != UInt8(ascii: "<") {
            if bytes[end] == UInt8(ascii: "\""), end < lastQuote { end = endOfQuoted(from: end) }
            end += 1
        }
        entry.endWord()
        if end < bytes.count, bytes[end] == UInt8(ascii: "<") { return }
        if end >= bytes.count {
            end =
                bytes[index...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
                ?? bytes.count
        }
        if entry.angle != nil { endEntry(isLast: false) }
        entry.angle = Array(bytes[index..<end])
        index = end
    }

    private func endOfQuoted(from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index
    }

    /// `[IPv6:2001:db8::1]`.
    private mutating func readDomain(from start: Int) {
        let end = bytes[start...].prefix(256).firstIndex(of: UInt8(ascii: "]")) ?? start
        entry.add(raw: bytes[start...end], text: bytes[start...end])
        index = end + 1
    }

    // MARK: The list

    private mutating func endEntry(isLast: Bool) {
        let ended = entry
        entry = WrittenAddress()
        if !ended.isEmpty {
            if !ended.hasAddress, !isLast {
                // No name has so many commas.
                if pending.count == Self.mostPending { flushPending() }
                pending.append(ended)
                return
            }
            var whole = ended
            if ended.angle != nil {
                for words in pending.reversed() { whole.prepend(words) }
                pending = []
            }
            flushPending()
            add(whole.mailboxes)
        }
        if isLast { flushPending() }
    }

    private mutating func flushPending() {
        for words in pending { add(words.mailboxes) }
        pending = []
    }

    private mutating func add(_ mailboxes: [EmailAddress]) {
        guard !mailboxes.isEmpty else { return }
        if !isOpen { groups.append(EmailAddressGroup(addresses: [])) }
        isOpen = true
        groups[groups.count - 1].addresses += mailboxes
    }

    private mutating func beginGroup() {
        flushPending()
        groups.append(EmailAddressGroup(name: entry.phrase, addresses: []))
        entry = WrittenAddress()
        (isInGroup, isOpen) = (true, true)
    }
}
