public import FoundationEssentials

/// Vectors as the bytes of their floats, which is how stores keep them.
public enum Embedding {
    /// The bytes of a vector.
    public static func data(_ vector: [Float]) -> Data {
        vector.withUnsafeBytes { Data($0) }
    }

    /// The vector of these bytes.
    public static func vector(_ bytes: UnsafeRawBufferPointer) -> [Float] {
        (0..<(bytes.count / 4)).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }

    /// The cosine of two vectors, sixteen numbers at a time; nil if they are not of one kind, or one has no direction.
    public static func cosine(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Float? {
        guard one.count == other.count, !one.isEmpty else { return nil }
        let wide = MemoryLayout<SIMD16<Float>>.size
        let whole = one.count / wide * wide
        var (products, ones, others) = (SIMD16<Float>.zero, SIMD16<Float>.zero, SIMD16<Float>.zero)
        for offset in stride(from: 0, to: whole, by: wide) {
            let a = one.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
            let b = other.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
            products += a * b
            ones += a * a
            others += b * b
        }
        var (product, length, otherLength) = (products.sum(), ones.sum(), others.sum())
        for offset in stride(from: whole, to: one.count, by: MemoryLayout<Float>.size) {
            let a = one.loadUnaligned(fromByteOffset: offset, as: Float.self)
            let b = other.loadUnaligned(fromByteOffset: offset, as: Float.self)
            (product, length, otherLength) = (product + a * b, length + a * a, otherLength + b * b)
        }
        let lengths = (length * otherLength).squareRoot()
        return lengths > 0 ? product / lengths : nil
    }
}
