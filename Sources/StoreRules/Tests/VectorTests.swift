import Testing

@testable import StoreRules

@Suite("Vectors in memory") struct VectorTests {
    @Test func thatAreEquallyNearAreAllCandidates() {
        var table = VectorTable<Int64>(dimensions: 2)
        for row in 0..<50 {
            Embedding.data([1, Float(row % 2)]).withUnsafeBytes { table.set($0, of: Int64(row)) }
        }
        let even: [Int64] = Array(stride(from: 0, to: 50, by: 2))
        let odd: [Int64] = Array(stride(from: 1, to: 50, by: 2))
        #expect(table.candidates(for: [2, 0], limit: 3).sorted() == even)
        for row in even { table.set(nil, of: row) }
        #expect(table.candidates(for: [2, 0], limit: 30).sorted() == odd)
        #expect(table.candidates(for: [0, 0], limit: 3).isEmpty)
    }

    @Test func tooManyAreNotKept() throws {
        let shelf = VectorShelf<Int, Int>()
        let (isLittle, isMuch, kept) = try shelf.use { tables in
            tables.all[.init(account: 1, model: "m", dimensions: 2)] = VectorTable(dimensions: 2)
            return (
                tables.makeRoom(for: 100_000, dimensions: 384),
                tables.makeRoom(for: 1_000_000, dimensions: 384),
                tables.all.count
            )
        }
        #expect(isLittle && !isMuch && kept == 1)
    }
}
