import FoundationEssentials

/// Vectors as the bytes of their floats.
enum Embedding {
    static func data(_ vector: [Float]) -> Data {
        vector.withUnsafeBytes { Data($0) }
    }

    static func vector(_ bytes: UnsafeRawBufferPointer) -> [Float] {
        (0..<(bytes.count / 4)).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
}
