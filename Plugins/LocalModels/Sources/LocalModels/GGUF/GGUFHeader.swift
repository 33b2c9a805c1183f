import MailKernelAPI

/// What a GGUF file says about itself, read with every bound checked: a model file is foreign until then,
/// and the library that runs it is not asked before.
///
/// The whole directory is walked: each name, each value and each tensor has to lie within the file.
struct GGUFHeader: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case number(Int)
        case text(String)
        /// Of anything else only that it is there.
        case other
    }

    /// By their keys. Lists of numbers are their largest number.
    private(set) var values: [String: Value] = [:]
    private(set) var tensors = 0

    /// Real headers have dozens of values, with short keys, so the stored part is small.
    private static let mostValues = 1_000
    private static let mostTensors = 100_000
    private static let longestKey = 256
    private static let longestName = 64
    private static let keptText = 4096

    init(_ reader: consuming BoundedReader) throws(GGUFError) {
        var reader = reader
        guard try reader.bytes(4) == Array("GGUF".utf8) else { throw .notGGUF }
        let version = try reader.number(4)
        // Of the other byte order, it looks like a very large version.
        guard (2...3).contains(version) else { throw .version(version) }
        let tensors = try reader.count(upTo: Self.mostTensors, "tensors")
        let count = try reader.count(upTo: Self.mostValues, "values")
        for _ in 0..<count {
            let key = try reader.text(upTo: Self.longestKey)
            guard values[key] == nil else { throw .broken("it contains a duplicate value") }
            values[key] = try Self.value(&reader)
        }
        self.tensors = tensors
        guard tensors > 0 else { throw .broken("it contains no tensors") }
        try checkTensors(&reader)
        guard !architecture.isEmpty else { throw .broken("it does not state its architecture") }
    }

    var architecture: String { text("general.architecture") ?? "" }

    func text(_ key: String) -> String? { if case .text(let text) = values[key] { text } else { nil } }
    func number(_ key: String) -> Int? { if case .number(let number) = values[key] { number } else { nil } }

    private static func value(_ reader: inout BoundedReader) throws(GGUFError) -> Value {
        let type = try reader.number(4)
        guard type == 9 else { return try scalar(type, &reader) }
        let element = try reader.number(4)
        guard element != 9 else { throw .broken("it contains nested lists") }
        let count = try reader.count(upTo: 1 << 24, "entries of a list")
        if let size = scalarSize(element), ![4, 5].contains(element) || count > 4096 {
            try reader.skip(count, of: size)
            return .other
        }
        var largest: Int?
        for _ in 0..<count {
            if element == 8 {
                try reader.skipText(upTo: 1 << 20)
            } else if case .number(let number) = try scalar(element, &reader) {
                largest = max(largest ?? number, number)
            }
        }
        return largest.map { .number($0) } ?? .other
    }

    private static func scalar(_ type: Int, _ reader: inout BoundedReader) throws(GGUFError) -> Value {
        switch type {
        case 0, 2, 4, 10: return .number(try reader.number(scalarSize(type) ?? 0))
        case 1, 3, 5, 11: return .number(try reader.signedNumber(scalarSize(type) ?? 0))
        case 8:
            let text = try reader.text(upTo: 1 << 24)
            return text.utf8.count <= keptText ? .text(text) : .other
        default:
            guard let size = scalarSize(type) else { throw .broken("it contains a value of an unknown type") }
            try reader.skip(1, of: size)
            return .other
        }
    }

    private static func scalarSize(_ type: Int) -> Int? {
        switch type {
        case 0, 1, 7: 1
        case 2, 3: 2
        case 4, 5, 6: 4
        case 10, 11, 12: 8
        default: nil
        }
    }

    private func checkTensors(_ reader: inout BoundedReader) throws(GGUFError) {
        var ends = 0
        var names: Set<String> = []
        for _ in 0..<tensors {
            guard names.insert(try reader.text(upTo: Self.longestName)).inserted else {
                throw .broken("it contains a duplicate tensor")
            }
            let dimensions = try reader.count(upTo: 4, "dimensions", size: 4)
            var elements = 1
            var row = 1
            for index in 0..<dimensions {
                let extent = try reader.number(8)
                guard extent > 0 else { throw .broken("a tensor has a dimension of 0") }
                if index == 0 { row = extent }
                let (product, isTooMuch) = elements.multipliedReportingOverflow(by: extent)
                guard !isTooMuch else { throw .broken("a tensor is larger than any file") }
                elements = product
            }
            guard let type = TensorType(try reader.number(4)) else {
                throw .broken("a tensor has an unsupported type")
            }
            let offset = try reader.number(8)
            guard let size = type.size(elements: elements, row: row) else {
                throw .broken("a tensor does not consist of whole blocks")
            }
            let (end, isTooMuch) = offset.addingReportingOverflow(size)
            guard !isTooMuch else { throw .broken("a tensor is larger than any file") }
            ends = max(ends, end)
        }
        let alignment = number("general.alignment") ?? 32
        guard (1...65_536).contains(alignment), alignment.nonzeroBitCount == 1 else {
            throw .broken("its alignment is not a power of two")
        }
        let start = (reader.offset + alignment - 1) / alignment * alignment
        guard start <= reader.size, ends <= reader.size - start else { throw .cutShort }
    }
}

/// Why a file is not a usable model, for the user.
enum GGUFError: Error, Equatable {
    case notGGUF
    case version(Int)
    case cutShort
    case broken(String)
    case unreadable

    var forTheKernel: ModelError {
        switch self {
        case .notGGUF: .badFile(reason: "This is not a GGUF file.")
        case .version: .badFile(reason: "This version of the GGUF format is not supported.")
        case .cutShort: .badFile(reason: "This file is incomplete.")
        case .broken(let what): .badFile(reason: "This file is damaged: \(what).")
        case .unreadable: .badFile(reason: "The file cannot be read.")
        }
    }
}

/// How the numbers of a tensor are packed: so many of them into so many bytes.
struct TensorType {
    private let block: Int
    private let bytes: Int

    /// By ggml's numbers.
    private static let known: [Int: (block: Int, bytes: Int)] = [
        0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
        10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
        16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110),
        22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8),
        29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
    ]

    init?(_ number: Int) {
        guard let known = Self.known[number] else { return nil }
        (block, bytes) = known
    }

    /// Nil if rows are no whole blocks, or it is more than can be counted.
    func size(elements: Int, row: Int) -> Int? {
        guard row % block == 0 else { return nil }
        let (size, isTooMuch) = (elements / block).multipliedReportingOverflow(by: bytes)
        return isTooMuch ? nil : size
    }
}
