import FoundationEssentials

@testable import LocalModels

/// Writes GGUF files, right or wrong, byte by byte.
struct SmallModel {
    struct Tensor {
        var name = "a"
        var extents: [UInt64] = [32, 4]
        var type: UInt32 = 0
        var offset: UInt64 = 0
    }

    var magic = Array("GGUF".utf8)
    var version: UInt32 = 3
    var values: [(key: String, type: UInt32, bytes: [UInt8])] = [
        ("general.architecture", 8, Self.text("llama")), ("llama.block_count", 4, Self.bytes(UInt32(2))),
        ("llama.attention.head_count", 4, Self.bytes(UInt32(4))),
        ("llama.embedding_length", 4, Self.bytes(UInt32(64))),
    ]
    var tensors = [Tensor()]
    /// Nil for the true numbers.
    var valueCount: UInt64?
    var tensorCount: UInt64?
    var body = 512

    var file: [UInt8] {
        var file = magic + Self.bytes(version) + Self.bytes(tensorCount ?? UInt64(tensors.count))
        file += Self.bytes(valueCount ?? UInt64(values.count))
        for value in values { file += Self.text(value.key) + Self.bytes(value.type) + value.bytes }
        for tensor in tensors {
            file += Self.text(tensor.name) + Self.bytes(UInt32(tensor.extents.count))
            for extent in tensor.extents { file += Self.bytes(extent) }
            file += Self.bytes(tensor.type) + Self.bytes(tensor.offset)
        }
        file += [UInt8](repeating: 0, count: (32 - file.count % 32) % 32 + body)
        return file
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    static func text(_ text: String) -> [UInt8] { bytes(UInt64(text.utf8.count)) + Array(text.utf8) }
}
