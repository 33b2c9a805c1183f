/// A set of UIDs or sequence numbers, as ranges: in ascending order, apart from one another.
struct UIDSet: Equatable, Sendable {
    private(set) var ranges: [ClosedRange<UInt32>] = []

    init() {}

    init(_ range: ClosedRange<UInt32>) {
        ranges = [range]
    }

    init(_ ranges: [ClosedRange<UInt32>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
    }

    init(_ numbers: some Sequence<UInt32>) {
        for number in numbers.sorted() { append(number...number) }
    }

    /// `range` begins where the last one does, or behind it.
    private mutating func append(_ range: ClosedRange<UInt32>) {
        guard let last = ranges.last, range.lowerBound <= last.upperBound.nextOrSame else {
            ranges.append(range)
            return
        }
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
    }

    var isEmpty: Bool { ranges.isEmpty }
    var count: Int { ranges.reduce(0) { $0 + $1.count } }
    var first: UInt32? { ranges.first?.lowerBound }
    var last: UInt32? { ranges.last?.upperBound }

    func contains(_ number: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(number)
    }

    /// The intersection.
    func limited(to range: ClosedRange<UInt32>) -> UIDSet {
        UIDSet(ranges.filter { $0.overlaps(range) }.map { $0.clamped(to: range) })
    }

    func union(_ other: UIDSet) -> UIDSet { UIDSet(ranges + other.ranges) }

    /// All numbers, the greatest first. For sets that a server sent, ask `count` before.
    var descending: [UInt32] { ranges.reversed().flatMap { $0.reversed() } }
    var ascending: [UInt32] { ranges.flatMap { Array($0) } }

    /// As commands name it: `1:5,9`. Empty for an empty set, which no command may name.
    var wire: String {
        ranges.map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound):\($0.upperBound)"
        }.joined(separator: ",")
    }
}

extension UInt32 {
    fileprivate var nextOrSame: UInt32 { self == .max ? self : self + 1 }
}

extension ByteScanner {
    /// `1:5,7,9:*`, in any order and direction; `*` is the greatest number there is.
    mutating func uidSet() throws(ParseError) -> UIDSet {
        UIDSet(try uidRanges())
    }

    /// The same in the order of the text, for sets that belong together one by one (`COPYUID`).
    mutating func uidRanges() throws(ParseError) -> [ClosedRange<UInt32>] {
        var ranges: [ClosedRange<UInt32>] = []
        repeat {
            let one = try uid()
            let other = take(UInt8(ascii: ":")) ? try uid() : one
            ranges.append(min(one, other)...max(one, other))
        } while take(UInt8(ascii: ","))
        return ranges
    }

    private mutating func uid() throws(ParseError) -> UInt32 {
        take(UInt8(ascii: "*")) ? .max : try number32()
    }
}
