/// Arithmetic with the vectors that models make.
enum Vectors {
    /// The same direction with length 1, or nil if there is none.
    static func normalized(_ vector: [Float]) -> [Float]? {
        let length = dot(vector, vector).squareRoot()
        guard length.isFinite, length > 0 else { return nil }
        return vector.map { $0 / length }
    }

    /// The cosine of two vectors of length 1; 0 if they are not of one kind.
    static func dot(_ one: [Float], _ other: [Float]) -> Float {
        guard one.count == other.count else { return 0 }
        return one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                var sums = SIMD16<Float>.zero
                let stride = MemoryLayout<SIMD16<Float>>.size
                let whole = one.count / stride * stride
                for offset in Swift.stride(from: 0, to: whole, by: stride) {
                    sums +=
                        one.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
                        * other.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
                }
                var sum = sums.sum()
                for offset in Swift.stride(from: whole, to: one.count, by: MemoryLayout<Float>.size) {
                    sum +=
                        one.loadUnaligned(fromByteOffset: offset, as: Float.self)
                        * other.loadUnaligned(fromByteOffset: offset, as: Float.self)
                }
                return sum
            }
        }
    }

    /// The direction in the middle of several; nil if there is none.
    static func middle(of vectors: [(vector: [Float], weight: Float)]) -> [Float]? {
        guard let first = vectors.first?.vector else { return nil }
        var sum = [Float](repeating: 0, count: first.count)
        for (vector, weight) in vectors where vector.count == sum.count {
            for index in sum.indices { sum[index] += vector[index] * weight }
        }
        return normalized(sum)
    }
}
