/// The directions of one model's vectors for one account's emails, in sequence: 16 bits per number, which is
/// precise enough for the nearest hundred, and half of the size on disk.
///
/// `Row` is what the store knows an email by.
public struct VectorTable<Row: Hashable & Sendable>: Sendable {
    private static var unit: Float { 32_767 }

    /// The length of the vectors. Others are not taken in.
    public let dimensions: Int
    /// The number of the newest change that is in it, for stores that number the changes of vectors.
    public var lastChange = 0
    private var rows: [Row] = []
    private var places: [Row: Int] = [:]
    private var numbers: [Int16] = []

    public init(dimensions: Int) {
        self.dimensions = dimensions
    }

    /// About as much memory as it takes.
    var bytes: Int { numbers.count * 2 + rows.count * 40 }

    /// About as much memory as so many vectors take.
    static func bytes(of count: Int, dimensions: Int) -> Int { count * (2 * dimensions + 40) }

    /// How far off a similarity can be that is reckoned from whole numbers.
    var tolerance: Float { 4 / Self.unit * Float(dimensions).squareRoot() }

    /// Takes an email's vector in, or the one that it has now. Nil, and one of another kind or without a
    /// direction, takes it out.
    public mutating func set(_ vector: UnsafeRawBufferPointer?, of row: Row) {
        guard let vector, let direction = direction(of: vector) else { return remove(row) }
        if let place = places[row] {
            numbers.replaceSubrange((place * dimensions)..<((place + 1) * dimensions), with: direction)
        } else {
            places[row] = rows.count
            rows.append(row)
            numbers += direction
        }
    }

    /// The last takes the place of one that goes.
    private mutating func remove(_ row: Row) {
        guard let place = places.removeValue(forKey: row), let last = rows.popLast() else { return }
        if last != row {
            rows[place] = last
            places[last] = place
            let source = rows.count * dimensions
            for offset in 0..<dimensions { numbers[place * dimensions + offset] = numbers[source + offset] }
        }
        numbers.removeLast(dimensions)
    }

    private func direction(of bytes: UnsafeRawBufferPointer) -> [Int16]? {
        let vector = Embedding.vector(bytes)
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        guard vector.count == dimensions, length > 0, length.isFinite else { return nil }
        return vector.map { Int16(max(-1, min(1, $0 / length)) * Self.unit) }
    }

    /// The emails that can be among the `limit` nearest, in no order.
    public func candidates(for vector: [Float], limit: Int) -> [Row] {
        guard let question = vector.withUnsafeBytes({ direction(of: $0) }) else { return [] }
        let scores = products(with: question)
        guard rows.count > limit else { return rows }
        let least = scores.sorted(by: >)[limit - 1]
        let slack = Int32(tolerance * Self.unit * Self.unit)
        return rows.indices.filter { scores[$0] >= least - slack }.map { rows[$0] }
    }

    /// Each is below 2³¹, because the vectors have length 1.
    private func products(with question: [Int16]) -> [Int32] {
        let count = rows.count
        let dimensions = dimensions
        return [Int32](unsafeUninitializedCapacity: count) { products, made in
            numbers.withUnsafeBufferPointer { numbers in
                question.withUnsafeBufferPointer { question in
                    for place in 0..<count {
                        let vector = numbers[(place * dimensions)..<((place + 1) * dimensions)]
                        var sum: Int32 = 0
                        for (one, other) in zip(vector, question) { sum &+= Int32(one) &* Int32(other) }
                        products[place] = sum
                    }
                }
            }
            made = count
        }
    }
}
