import FoundationEssentials
import Mail
import MailKernelAPI

/// An mbox file, of whichever of its several forms.
struct MboxSource: MailSource {
    private static let longestMessage = Blobs.messageLimit
    private static let longestPreface = 1_000_000
    private static let longestHeader = 100_000
    private static let longestLook = 20_000_000
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let size: Int
    private let name: String
    private let place: [String]
    private let fileDate: Date
    private let isPacked: Bool
    private var window: MboxWindow
    private let first: MboxSeparator
    /// Whether the lengths in it were right so far.
    private var hasLengths = false
    private var isAtEnd = false
    /// What stands before the first separator.
    private var preface = Data()

    /// Nil if it is no mbox.
    ///
    /// - Parameters:
    ///   - name: of the file, for people.
    ///   - place: the mailbox that its messages are from.
    ///   - head: the first bytes of the file.
    ///   - hasPreface: whether other text may come before the first message.
    init?(_ file: ReadOnlyFile, name: String, place: [String], head: Data, hasPreface: Bool = false) {
        size = file.size
        fileDate = file.modified
        isPacked = file.isPacked
        window = MboxWindow(head.hasOnlyReturns ? ReturnStream(file.stream()) : file.stream())
        window.skipPadding()
        if hasPreface,
            let place = window.nextSeparator(
                from: window.begin, limit: Self.longestPreface,
                isRight: { $0.kind == .dated || $0.kind == .foreign })
        {
            preface = Data(window.take(to: place))
        }
        guard let first = window.separator(at: window.begin) else { return nil }
        self.first = first
        self.name = name
        self.place = place
    }

    var position: Int { isAtEnd ? size : min(size, isPacked ? window.consumed : window.taken) }

    mutating func next() -> FoundItem? {
        if !preface.isEmpty { return takePreface() }
        while true {
            window.compact()
            guard window.reach(window.begin + 1) else { return end() }
            let start = window.taken
            guard let lineEnd = window.lineEnd(from: window.begin),
                let separator = MboxSeparator(window.bytes[window.begin..<lineEnd])
            else {
                // The file was cut off in a separator.
                skip()
                continue
            }
            guard let extent = extent(separator, from: lineEnd + 1),
                extent.end - window.begin <= Self.longestMessage
            else {
                skip()
                return failure(start, "the message is larger than \(Self.longestMessage / 1_000_000) MB")
            }
            _ = window.take(to: lineEnd + 1)
            var bytes = Data(window.take(to: extent.end))
            if first.isOurs, separator.isOurs, let found = Self.own(bytes) { return .message(found) }
            let isExact = extent.length != nil
            bytes = extent.length.map { Data(bytes.prefix($0)) } ?? Self.withoutPadding(bytes)
            guard !bytes.isEmpty else { return failure(start, "the message is empty") }
            if let item = item(bytes, separator.date, isExact: isExact) { return item }
        }
    }

    /// A file that lost its beginning has the rest of a message there, or a whole one without its separator.
    private mutating func takePreface() -> FoundItem? {
        let bytes = Self.withoutPadding(preface)
        preface = Data()
        guard MailSniff.isMessage(bytes) else {
            return failure(0, "the text before the first message is not mail")
        }
        return item(bytes, nil, isExact: false) ?? next()
    }

    private mutating func end() -> FoundItem? {
        let start = window.taken
        isAtEnd = true
        return window.takeProblem().map { failure(start, $0.reason) }
    }

    private func failure(_ start: Int, _ reason: String) -> FoundItem {
        .failure(ImportFailure(place: "\(name), byte \(start)", reason: reason))
    }

    /// Nil if it is not mail.
    private func item(_ message: Data, _ date: Date?, isExact: Bool) -> FoundItem? {
        var bytes = message
        let mozilla = MozillaFields(takenFrom: &bytes)
        let header = ImportHeader(bytes)
        if header.isFolderData { return nil }
        // Thunderbird ignores what other programs noted, once it has its own notes.
        if mozilla.isPresent ? mozilla.isDeleted : header.isDeleted { return .deleted }
        // A program that writes lengths may leave lines as they are. If it left one, it left all.
        if !isExact || !MboxQuoting.hasUnquoted(bytes, from: header.end) {
            bytes = MboxQuoting.undone(bytes, from: header.end)
        }
        return .message(
            FoundMessage(
                bytes: bytes, place: place, keywords: header.statusKeywords.union(mozilla.keywords),
                dates: [date].compactMap(\.self) + header.dates, labels: header.gmailLabels,
                fileDate: fileDate))
    }

    private static func own(_ bytes: Data) -> FoundMessage? {
        guard let (entry, text) = ArchiveEntry.read(bytes) else { return nil }
        var found = FoundMessage(
            bytes: entry.message(of: text), place: nil, keywords: entry.keywords, dates: [entry.receivedAt])
        found.targets = entry.targets
        return found
    }

    // MARK: Where a message ends

    private struct Extent {
        /// Where the next one begins.
        var end: Int
        /// The message's size, if the file states it.
        var length: Int?
    }

    /// Nil if it does not end within what a message may have.
    private mutating func extent(_ separator: MboxSeparator, from start: Int) -> Extent? {
        let limit = Self.longestMessage
        if first.isOurs, separator.isOurs {
            let end = window.nextFromLine(from: start, limit: limit)
            return end.map { Extent(end: $0) } ?? rest
        }
        let end = nextSeparator(from: start) ?? (window.isWhole ? window.bytes.count : nil)
        if let length = length(from: start, unless: end) { return length }
        return end.map { Extent(end: $0) }
    }

    private var rest: Extent? { window.isWhole ? Extent(end: window.bytes.count) : nil }

    private mutating func nextSeparator(from start: Int, limit: Int = Self.longestMessage) -> Int? {
        let isOdd = first.kind == .odd
        return window.nextSeparator(from: start, limit: limit) { $0.kind != .odd || isOdd }
    }

    /// What `Content-Length` says, if it is true. Senders write this field too, with any number: a message must not
    /// take the next ones with it.
    ///
    /// - Parameter end: where the message ends without it.
    private mutating func length(from start: Int, unless end: Int?) -> Extent? {
        guard let (length, body) = contentLength(from: start), let landing = landing(body + length) else {
            return nil
        }
        // What looks like further messages is part of this one only where all messages have lengths but those.
        var inside = end
        while let place = inside, place < landing {
            let isLast = landing == window.bytes.count
            guard !hasLength(place), isLast ? hasLengths : hasLength(landing) else { return nil }
            inside = nextSeparator(from: place + 1)
        }
        hasLengths = true
        return Extent(end: landing, length: body + length - start)
    }

    private mutating func hasLength(_ separator: Int) -> Bool {
        window.lineEnd(from: separator).flatMap { contentLength(from: $0 + 1) } != nil
    }

    private mutating func contentLength(from start: Int) -> (length: Int, body: Int)? {
        var header = ImportHeader(window.bytes[min(start, window.bytes.count)...].prefix(Self.longestHeader))
        if header.isCut, window.reach(start + Self.longestHeader) || window.isWhole {
            header = ImportHeader(window.bytes[min(start, window.bytes.count)...].prefix(Self.longestHeader))
        }
        guard let length = header.contentLength, length <= Self.longestMessage else { return nil }
        return (length, start + header.end)
    }

    /// The separator behind a place, or the end of the file; nil if neither is there.
    private mutating func landing(_ place: Int) -> Int? {
        window.reach(place + 5)
        var next = place
        // The body's own line end, if it has none, and the empty line behind it.
        for _ in 0..<2 {
            if window.bytes.dropFirst(next).starts(with: "\r\n".utf8) {
                next += 2
            } else if window.bytes.dropFirst(next).starts(with: "\n".utf8) {
                next += 1
            }
        }
        if next >= window.bytes.count { return window.isWhole && place <= window.bytes.count ? next : nil }
        guard window.bytes[next - 1] == UInt8(ascii: "\n") else { return nil }
        return window.separator(at: next) == nil ? nil : next
    }

    /// Whether more than one message is in it.
    func holdsSeveral() -> Bool {
        var copy = self
        guard let end = copy.window.lineEnd(from: copy.window.begin) else { return false }
        return copy.nextSeparator(from: end + 1, limit: Self.longestLook) != nil
    }

    /// Passes by a message that is not taken.
    private mutating func skip() {
        var start = window.begin + 1
        while true {
            if let next = nextSeparator(from: start) {
                _ = window.take(to: next)
                return
            }
            if window.isWhole {
                _ = window.take(to: window.bytes.count)
                return
            }
            // A separator may have begun at the end of the buffer.
            _ = window.take(to: max(window.begin, window.bytes.count - 10_000))
            window.compact()
            start = window.begin
            window.reach(window.bytes.count + 1)
        }
    }

    /// The empty line before the next separator belongs to the mbox, and so do NULs that a crash left there.
    private static func withoutPadding(_ message: Data) -> Data {
        var message = message
        if message.suffix(byteOrderMark.count).elementsEqual(byteOrderMark) {
            message = message.dropLast(byteOrderMark.count)
        }
        let padded = message.withUnsafeBytes { bytes in
            var end = bytes.count
            while end > 0, bytes[end - 1] == 0 || end > 1 && bytes[end - 2] == 0 && bytes[end - 1] == 0x0A {
                end -= 1
            }
            return end
        }
        var bytes = message.prefix(padded)
        if bytes.suffix(2).elementsEqual("\n\n".utf8) {
            bytes = bytes.dropLast()
        } else if bytes.suffix(3).elementsEqual("\n\r\n".utf8) {
            bytes = bytes.dropLast(2)
        }
        return Data(bytes)
    }
}
