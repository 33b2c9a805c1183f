import FoundationEssentials
import Glibc

/// The part of an mbox that is in memory, and where messages begin in it.
struct MboxWindow: Sendable {
    /// The number of bytes needed after a separator to verify it.
    private static let lookahead = 8192
    private static let damagedLines = 4
    private static let compactedAt = 1 << 20
    private static let longestLine = 1 << 24

    private var stream: any ByteStream
    private(set) var bytes = Data()
    /// Up to here the bytes are taken.
    private(set) var begin = 0
    /// Whether nothing more comes.
    private(set) var isWhole = false
    /// Why the end came too early.
    private var problem: BrokenFile?
    /// How much was taken in all.
    private(set) var taken = 0

    init(_ stream: any ByteStream) {
        self.stream = stream
    }

    var consumed: Int { stream.consumed }

    mutating func takeProblem() -> BrokenFile? {
        defer { problem = nil }
        return problem
    }

    /// Passes by what some programs put before the first message.
    mutating func skipPadding() {
        while reach(begin + 1) {
            guard let text = bytes[begin...].firstIndex(where: { !ImportHeader.padding.contains($0) }) else {
                _ = take(to: bytes.count)
                compact()
                continue
            }
            _ = take(to: text)
            return
        }
    }

    mutating func take(to end: Int) -> Data {
        defer {
            taken += end - begin
            begin = end
        }
        return bytes[begin..<end]
    }

    /// Frees the memory of consumed bytes. Earlier positions become invalid.
    mutating func compact() {
        guard begin > Self.compactedAt || begin == bytes.count else { return }
        bytes = Data(bytes[begin...])
        begin = 0
    }

    /// Reads until there are so many bytes. Returns whether there are.
    @discardableResult
    mutating func reach(_ count: Int) -> Bool {
        while bytes.count < count, !isWhole { grow() }
        return bytes.count >= count
    }

    private mutating func grow() {
        do throws(BrokenFile) {
            let more = try stream.read()
            bytes.append(more)
            isWhole = more.isEmpty
        } catch {
            problem = error
            isWhole = true
        }
    }

    /// Where the line that begins here ends; nil if it has no end.
    mutating func lineEnd(from start: Int) -> Int? {
        var from = start
        while true {
            if let end = bytes.place(of: "\n", from: from) { return end }
            guard !isWhole, bytes.count - start < Self.longestLine else { return nil }
            from = bytes.count
            grow()
        }
    }

    /// The separator that stands at a place; nil if none does.
    mutating func separator(at place: Int) -> MboxSeparator? {
        reach(place + Self.lookahead)
        guard place < bytes.count else { return nil }
        let end = bytes.place(of: "\n", from: place) ?? bytes.count
        guard let separator = MboxSeparator(bytes[place..<min(end, place + 1000)]) else { return nil }
        return isFollowedByHeader(end, separator.kind) ? separator : nil
    }

    /// The next place where a message begins; nil if there is none up to the end, or within the limit.
    mutating func nextSeparator(
        from start: Int, limit: Int, isRight: (MboxSeparator) -> Bool
    ) -> Int? {
        next("From ", from: start, limit: limit) { window, place in
            guard let separator = window.separator(at: place) else { return false }
            if window.isAfterEmptyLine(place), isRight(separator) { return true }
            // Some programs leave out the empty line, or change the form of their separators within a file.
            let fields = separator.namesSender ? 2 : separator.kind == .bare ? 3 : Int.max
            return window.isAfterLineEnd(place) && window.isFollowedByMail(place, fields: fields)
        }
    }

    /// The next separator of a file in which every such line of a message is quoted.
    mutating func nextFromLine(from start: Int, limit: Int) -> Int? {
        next("From ", from: start, limit: limit) { window, place in
            place > 0 && window.bytes[place - 1] == UInt8(ascii: "\n")
                && window.separator(at: place) != nil
        }
    }

    private mutating func next(
        _ text: StaticString, from start: Int, limit: Int, isRight: (inout MboxWindow, Int) -> Bool
    ) -> Int? {
        var from = start
        while from - begin <= limit {
            guard let place = bytes.place(of: text, from: from) else {
                if isWhole { return nil }
                from = max(start, bytes.count - text.utf8CodeUnitCount + 1)
                grow()
                continue
            }
            if isRight(&self, place) { return place }
            from = place + 1
        }
        return nil
    }

    private func isAfterLineEnd(_ place: Int) -> Bool {
        let end = isAfterMark(place) ? place - 3 : place
        return end > begin && bytes[end - 1] == UInt8(ascii: "\n")
    }

    /// Where files were put together, each may begin with a byte order mark.
    private func isAfterMark(_ place: Int) -> Bool {
        place >= begin + 3 && bytes[(place - 3)..<place].elementsEqual(MboxSource.byteOrderMark)
    }

    /// Whether the lines behind a separator are a message's beyond doubt: several fields, one of which mail is known
    /// to have.
    private func isFollowedByMail(_ place: Int, fields least: Int) -> Bool {
        guard let end = bytes.place(of: "\n", from: place), isFollowedByHeader(end, .bare) else {
            return false
        }
        var (fields, isKnown) = (0, false)
        var next = line(after: end)
        for _ in 0..<3 {
            guard let field = next, HeaderLine.isField(field.text) else { break }
            fields += 1
            isKnown = isKnown || MailSniff.isKnownField(field.text)
            next = line(after: field.end)
        }
        return fields >= least && isKnown
    }

    /// Lines of NULs, as crashes leave them, count as empty.
    private func isAfterEmptyLine(_ place: Int) -> Bool {
        var end = isAfterMark(place) ? place - 3 : place
        let place = end
        while end > begin, bytes[end - 1] == 0 { end -= 1 }
        let zeros = place - end
        guard end > begin else { return true }
        guard bytes[end - 1] == UInt8(ascii: "\n") else { return zeros >= 8 }
        if zeros > 0 { return true }
        end -= 1
        if end > begin, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end > begin && (bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == 0)
    }

    /// - Parameter end: of the separator's line.
    private func isFollowedByHeader(_ end: Int, _ kind: MboxSeparator.Kind) -> Bool {
        guard let first = line(after: end) else { return kind == .dated }
        let hasDate = kind == .dated || kind == .foreign
        if hasDate, first.text.isEmpty { return isFollowedByNothing(first.end) }
        guard HeaderLine.isField(first.text) else { return hasDate && hasKnownField(from: first) }
        // A body can have a line “From ” and another that looks like a field. Some more have to.
        guard kind == .bare else { return true }
        var end = first.end
        for _ in 0..<2 {
            guard let next = line(after: end), !next.text.isEmpty else { return true }
            guard HeaderLine.isField(next.text) || HeaderLine.isContinuation(next.text) else { return false }
            end = next.end
        }
        return true
    }

    /// Whether one of a few lines is a field that mail has. The first lines of a header can be damaged.
    private func hasKnownField(from first: (text: Data, end: Int)) -> Bool {
        var line = first
        for _ in 0..<Self.damagedLines {
            guard let next = self.line(after: line.end), !next.text.isEmpty else { return false }
            if HeaderLine.isField(next.text), MailSniff.isKnownField(next.text) { return true }
            line = next
        }
        return false
    }

    /// A message without anything: the next one begins, or the file ends.
    private func isFollowedByNothing(_ end: Int) -> Bool {
        guard let next = line(after: end) else { return true }
        return MboxSeparator(next.text) != nil
    }

    /// The line behind a line end, as far as it is in memory; nil at the end of the file.
    private func line(after end: Int) -> (text: Data, end: Int)? {
        guard end < bytes.count - 1 else { return nil }
        let lineEnd = bytes.place(of: "\n", from: end + 1) ?? bytes.count
        var text = bytes[(end + 1)..<min(lineEnd, end + 1001)]
        if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
        return (text, lineEnd)
    }
}

extension Data {
    /// Where a text is next; for data whose first place is 0.
    package func place(of text: StaticString, from: Int) -> Int? {
        let length = text.utf8CodeUnitCount
        guard from >= 0 else { return nil }
        return withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress else { return nil }
            var place = from
            while place + length <= bytes.count,
                let found = memchr(
                    start + place, CInt(text.utf8Start.pointee), bytes.count - place - length + 1)
            {
                if memcmp(found, text.utf8Start, length) == 0 {
                    return start.distance(to: UnsafeRawPointer(found))
                }
                place = start.distance(to: UnsafeRawPointer(found)) + 1
            }
            return nil
        }
    }
}
