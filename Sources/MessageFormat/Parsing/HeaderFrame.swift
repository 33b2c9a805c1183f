/// The position of a message's header in its bytes, and the beginning of its text.
///
/// The header need not come first, and the empty line after it may be missing: mailbox files, mail stores and
/// careless programs add lines before it, or forget the empty line.
struct HeaderFrame {
    /// Where the first field begins.
    private(set) var start = 0
    /// Behind the last field.
    private(set) var headerEnd: Int
    private(set) var bodyStart: Int
    /// Whether GMime sees the end of the header by itself: there is an empty line, or nothing behind it.
    private(set) var isSeparated = true

    init(_ bytes: Span<UInt8>) {
        headerEnd = bytes.count
        bodyStart = bytes.count
        start = Self.start(of: bytes)
        findEnd(in: bytes)
    }

    /// A place in the message for one in the bytes that GMime was given.
    func place(of offset: Int) -> Int {
        guard !isSeparated, offset > headerEnd - start else { return offset + start }
        return offset - (headerEnd - start + Self.separator.count) + bodyStart
    }

    /// What GMime is given where the header does not end by itself.
    func separated(_ message: some RandomAccessCollection<UInt8>) -> [UInt8] {
        Array(message.dropFirst(start).prefix(headerEnd - start)) + Self.separator
            + message.dropFirst(bodyStart)
    }

    private static let separator: [UInt8] = [0x0A]

    // MARK: The end

    private mutating func findEnd(in bytes: Span<UInt8>) {
        var index = start
        var hasField = false
        while index < bytes.count {
            let line = HeaderLine(at: index, in: bytes)
            switch line.kind {
            case .field: hasField = true
            case .folded where hasField: break
            case .empty:
                headerEnd = index
                bodyStart = line.end
                // Line ends of two carriage returns are no line ends to GMime.
                isSeparated = line.end - index <= 2
                return
            case .folded, .other:
                // An invalid line within a header is skipped. If no field follows, the text starts here.
                if hasField, Self.hasField(in: bytes, at: line.end) { break }
                headerEnd = index
                bodyStart = index
                isSeparated = false
                return
            }
            index = line.end
        }
    }

    /// Whether the next lines hold a field that mail is known to have.
    private static func hasField(in bytes: Span<UInt8>, at start: Int) -> Bool {
        var index = start
        for _ in 0..<10 where index < bytes.count {
            let line = HeaderLine(at: index, in: bytes)
            // What follows a boundary is the header of a part.
            if line.kind == .empty || line.isBoundary(in: bytes) { return false }
            if line.isKnownField(in: bytes) { return true }
            index = line.end
        }
        return false
    }

    // MARK: The start

    /// Behind marks, the line with which mailbox files begin a message, and empty lines, as long as a header follows
    /// those.
    private static func start(of bytes: Span<UInt8>) -> Int {
        var index = place(behindMarks: 0, in: bytes)
        var start = index
        while index < bytes.count {
            let line = HeaderLine(at: index, in: bytes)
            if line.isBlank(in: bytes) {
                index = place(behindMarks: line.end, in: bytes)
            } else if line.isMailboxLine(in: bytes) {
                index = place(behindMarks: line.end, in: bytes)
                start = index
            } else {
                break
            }
        }
        return index > start && isHeader(at: index, in: bytes) ? index : start
    }

    /// Behind byte order marks, and NULs from a damaged disk.
    private static func place(behindMarks start: Int, in bytes: Span<UInt8>) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == 0 {
                index += 1
            } else if index + 2 < bytes.count, bytes[index] == 0xEF, bytes[index + 1] == 0xBB,
                bytes[index + 2] == 0xBF
            {
                index += 3
            } else {
                break
            }
        }
        return index
    }

    private static func isHeader(at start: Int, in bytes: Span<UInt8>) -> Bool {
        guard start < bytes.count, HeaderLine(at: start, in: bytes).kind == .field else { return false }
        var index = start
        for _ in 0..<50 where index < bytes.count {
            let line = HeaderLine(at: index, in: bytes)
            if line.kind == .empty || line.kind == .other { return false }
            if line.isKnownField(in: bytes) { return true }
            index = line.end
        }
        return false
    }
}

/// A line that may be part of a header.
struct HeaderLine {
    enum Kind {
        case empty, folded, field, other
    }

    let start: Int
    /// Behind its line feed.
    let end: Int
    let kind: Kind
    /// Where the name of a field ends.
    private let nameEnd: Int

    init(at start: Int, in bytes: Span<UInt8>) {
        self.start = start
        var index = start
        var hasLetter = false
        while index < bytes.count, bytes[index] > 0x20, bytes[index] < 0x7F, bytes[index] != UInt8(ascii: ":")
        {
            hasLetter = hasLetter || (0x61...0x7A).contains(bytes[index] | 0x20)
            index += 1
        }
        nameEnd = index
        while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
        // A time, or the address of a web page, begins a text.
        let isField =
            hasLetter && index < bytes.count && bytes[index] == UInt8(ascii: ":")
            && !(index + 2 < bytes.count && bytes[index + 1] == 0x2F && bytes[index + 2] == 0x2F)
        var isEmpty = true
        index = start
        while index < bytes.count, bytes[index] != 0x0A {
            if bytes[index] != 0x0D { isEmpty = false }
            index += 1
        }
        end = min(index + 1, bytes.count)
        kind = isEmpty ? .empty : Self.isBlank(bytes[start]) ? .folded : isField ? .field : .other
    }

    func isBlank(in bytes: Span<UInt8>) -> Bool {
        (start..<end).allSatisfy { Self.isBlank(bytes[$0]) || bytes[$0] == 0x0A || bytes[$0] == 0x0D }
    }

    func isMailboxLine(in bytes: Span<UInt8>) -> Bool {
        guard kind == .other else { return false }
        let beginning = (start..<min(start + 6, end)).map { bytes[$0] }
        return beginning.starts(with: "From ".utf8) || beginning.starts(with: ">From ".utf8)
    }

    func isBoundary(in bytes: Span<UInt8>) -> Bool {
        end - start > 3 && bytes[start] == UInt8(ascii: "-") && bytes[start + 1] == UInt8(ascii: "-")
    }

    func isKnownField(in bytes: Span<UInt8>) -> Bool {
        guard kind == .field, nameEnd - start <= 30 else { return false }
        let name = String(decoding: (start..<nameEnd).map { asciiLowercased(bytes[$0]) }, as: UTF8.self)
        return Self.known.contains(name)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static let known: Set<String> = [
        "from", "sender", "reply-to", "to", "cc", "bcc", "subject", "date", "message-id", "in-reply-to",
        "references", "received", "return-path", "delivered-to", "mime-version", "content-type",
        "content-transfer-encoding", "content-disposition", "x-mailer", "user-agent", "dkim-signature",
        "authentication-results", "list-id", "list-unsubscribe", "status", "x-status", "x-uidl",
        "x-mozilla-status", "x-mozilla-status2", "x-account-key", "x-gmail-labels", "x-gm-thrid",
    ]
}
