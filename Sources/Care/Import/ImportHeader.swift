import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The header fields that an import needs. The message is parsed fully when the account reports it.
struct ImportHeader: Sendable {
    private static let names = [
        "received", "date", "status", "x-status", "x-keywords", "x-gmail-labels", "content-length",
        "subject", "x-imap", "x-imapbase", "x-evolution",
    ]
    private static let limit = 100_000
    /// What stands before a header and does not end it: NULs, blanks, empty lines and byte order marks.
    static let padding: Set<UInt8> = [0, 0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]

    /// The first of each name, and the last.
    private var first: [String: String] = [:]
    private var last: [String: String] = [:]
    /// Where the text begins.
    private(set) var end = 0
    /// Whether the end of the header was not found.
    private(set) var isCut = true

    init(_ message: Data) {
        message.withUnsafeBytes { bytes in read(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.limit))) }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var field: Range<Int>?
        let begin = bytes.firstIndex { !Self.padding.contains($0) } ?? bytes.count
        var lineStart = begin
        while lineStart < bytes.count {
            let lineEnd = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let isEmpty = lineEnd == lineStart || lineEnd == lineStart + 1 && bytes[lineStart] == 0x0d
            if isEmpty, lineEnd < bytes.count {
                end = lineEnd + 1
                isCut = false
                if lineStart > begin { break }
            }
            if let begun = field, bytes[lineStart] == 0x20 || bytes[lineStart] == 0x09 {
                field = begun.lowerBound..<lineEnd
            } else {
                if let field { note(bytes[field]) }
                field = lineStart..<lineEnd
            }
            lineStart = lineEnd + 1
        }
        if let field { note(bytes[field]) }
        if isCut { end = bytes.count }
    }

    private mutating func note(_ field: Slice<UnsafeRawBufferPointer>) {
        guard let colon = field.prefix(20).firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: field[..<colon], as: UTF8.self).lowercased()
        guard Self.names.contains(name) else { return }
        let raw = field[(colon + 1)...].filter { $0 != 0x0d && $0 != 0x0a }
        let value = String(decoding: raw, as: UTF8.self)
        if first[name] == nil { first[name] = value }
        last[name] = value
    }

    private func value(_ name: String) -> String? { last[name] }

    /// Whether this is no message, but what Alpine keeps at the beginning of an mbox.
    var isFolderData: Bool {
        (value("x-imap") ?? value("x-imapbase")) != nil
            && value("subject")?.contains("DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA") == true
    }

    /// How many bytes the text has, as some programs note in an mbox.
    var contentLength: Int? {
        value("content-length").flatMap { Int($0.split(whereSeparator: \.isWhitespace).joined()) }
            .flatMap { $0 >= 0 ? $0 : nil }
    }

    /// When it may have arrived: by the topmost Received field, and when it says it was sent.
    var dates: [Date] {
        let received = first["received"].flatMap { field in
            field.lastIndex(of: ";").map { String(field[field.index(after: $0)...]) }
        }
        return [received, value("date")].compactMap { $0 }.compactMap { HeaderForm.date(of: $0)?.date }
    }

    /// Gmail's labels, as Takeout writes them: above all that was there before, which senders write.
    var gmailLabels: [String]? {
        guard let raw = first["x-gmail-labels"] else { return nil }
        var labels: [String] = []
        var current = ""
        var isQuoted = false
        for character in HeaderForm.text(of: raw) {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                labels.append(current)
                current = ""
            default: current.append(character)
            }
        }
        labels.append(current)
        return labels.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    }

    /// Whether the program that kept the mbox had deleted the message, and not yet removed it from the file.
    ///
    /// A sender's field of the same name can say anything, so a value counts only if it is one that programs write.
    var isDeleted: Bool {
        // Takeout writes labels instead, and keeps the fields that came with a message.
        guard gmailLabels == nil else { return false }
        let isMarked = ["status", "x-status"].compactMap(value).contains { field in
            let letters = field.split(whereSeparator: \.isWhitespace).joined().uppercased()
            return letters.contains("D") && letters.allSatisfy("ADFNORTU".contains)
                && Set(letters).count == letters.count
        }
        return isMarked || evolutionFlags & 1 << 1 != 0
    }

    /// The flags behind the number that Evolution gives a message: `00000012-0012`.
    private var evolutionFlags: UInt32 {
        let numbers = (value("x-evolution") ?? "").filter { $0 != " " }.split(separator: "-")
        guard numbers.map(\.count) == [8, 4], UInt32(numbers[0], radix: 16) != nil else { return 0 }
        return UInt32(numbers[1], radix: 16) ?? 0
    }

    /// `Status`, `X-Status` and `X-Keywords`, as mail programs write them into an mbox.
    var statusKeywords: Set<Keyword> {
        let letters = (value("status") ?? "") + (value("x-status") ?? "")
        var keywords: Set<Keyword> = []
        if letters.contains("R") { keywords.insert(.seen) }
        if letters.contains("A") { keywords.insert(.answered) }
        if letters.contains("F") { keywords.insert(.flagged) }
        return keywords.union(
            (value("x-keywords") ?? "").split(whereSeparator: \.isWhitespace).prefix(100)
                .compactMap(MozillaFields.keyword))
    }
}
