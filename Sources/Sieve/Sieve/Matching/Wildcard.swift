/// A pattern of `:matches`: `*` is any text, `?` one character, and a backslash takes their meaning away.
///
/// The text between two stars is looked for once, as early as it occurs, so there is nothing to try again.
struct Wildcard {
    private enum Element {
        case byte(UInt8)
        case one
    }

    /// What is between the stars, which are one fewer.
    private var segments: [[Element]] = [[]]

    /// Of a pattern that is folded for its comparator.
    init(_ pattern: Bytes) {
        var cursor = Cursor(pattern)
        while let byte = cursor.next() {
            switch byte {
            case UInt8(ascii: "*"): segments.append([])
            case UInt8(ascii: "?"): segments[segments.count - 1].append(.one)
            case UInt8(ascii: "\\"):
                segments[segments.count - 1].append(.byte(cursor.next() ?? byte))
            default: segments[segments.count - 1].append(.byte(byte))
            }
        }
    }

    /// The ranges that the wildcards stand for, in their order, after that of the whole; nil if the text does not
    /// match.
    func match(_ text: Bytes, budget: Budget) throws(SieveError) -> [Range<Int>]? {
        try budget.spend(text.count)
        var found = [0..<text.count]
        guard let last = segments.last, let first = segments.first,
            var end = Self.match(first, text, at: 0, &found)
        else { return nil }
        guard segments.count > 1 else { return end == text.count ? found : nil }
        for segment in segments.dropFirst().dropLast() {
            var inner: [Range<Int>] = []
            guard let range = try Self.search(segment, text, from: end, &inner, budget) else { return nil }
            found.append(end..<range.lowerBound)
            found += inner
            end = range.upperBound
        }
        guard let start = Self.start(of: last, atEndOf: text), start >= end else { return nil }
        found.append(end..<start)
        return Self.match(last, text, at: start, &found) == text.count ? found : nil
    }

    private static func search(
        _ segment: [Element], _ text: Bytes, from start: Int, _ found: inout [Range<Int>], _ budget: Budget
    ) throws(SieveError) -> Range<Int>? {
        var place = start
        while place <= text.count {
            found = []
            if let end = match(segment, text, at: place, &found) { return place..<end }
            // What was compared in vain is at most the segment.
            try budget.spend(segment.count)
            place = after(place, in: text)
        }
        return nil
    }

    /// Where the segment ends if it begins at `start`.
    private static func match(
        _ segment: [Element], _ text: Bytes, at start: Int, _ found: inout [Range<Int>]
    ) -> Int? {
        var place = start
        for element in segment {
            guard place < text.count else { return nil }
            switch element {
            case .byte(let byte):
                guard text[place] == byte else { return nil }
                place += 1
            case .one:
                let end = after(place, in: text)
                found.append(place..<end)
                place = end
            }
        }
        return place
    }

    private static func start(of segment: [Element], atEndOf text: Bytes) -> Int? {
        var place = text.count
        for element in segment.reversed() {
            guard place > 0 else { return nil }
            place -= 1
            guard case .one = element else { continue }
            while place > 0, text[place].isContinuation { place -= 1 }
        }
        return place
    }

    private static func after(_ place: Int, in text: Bytes) -> Int {
        var end = place + 1
        while end < text.count, text[end].isContinuation { end += 1 }
        return end
    }
}
