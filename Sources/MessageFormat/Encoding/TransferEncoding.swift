public import FoundationEssentials

/// How a part's bytes are written so that they pass through mail (RFC 2045, section 6).
public enum TransferEncoding: String, Sendable, Hashable, Codable {
    case sevenBit = "7bit"
    case eightBit = "8bit"
    case binary
    case quotedPrintable = "quoted-printable"
    case base64
    case uuencode = "x-uuencode"

    /// Nil if the name is unknown: then the bytes are taken as they are (RFC 8621, section 4.1.4).
    public init?(name: String) {
        let word = Self.withoutComments(name).lowercased()
            .filter { !$0.isWhitespace && $0 != "\"" && $0 != ";" }
        switch word {
        case "", "7bit", "7-bit": self = .sevenBit
        case "8bit", "8-bit": self = .eightBit
        case "binary": self = .binary
        case "quoted-printable", "quotedprintable", "quoted_printable", "qp": self = .quotedPrintable
        case "base64", "base-64": self = .base64
        case "x-uuencode", "uuencode", "x-uue", "uue": self = .uuencode
        default: return nil
        }
    }

    private static func withoutComments(_ field: String) -> String {
        var depth = 0
        return field.filter { character in
            if character == "(" { depth += 1 }
            defer { if character == ")" { depth = max(depth - 1, 0) } }
            return depth == 0
        }
    }

    /// Whether encoded bytes are the content itself.
    var isIdentity: Bool {
        switch self {
        case .sevenBit, .eightBit, .binary: true
        case .quotedPrintable, .base64, .uuencode: false
        }
    }

    /// All of `encoded`, decoded as far as it can be read.
    public func decoded(_ encoded: Data) -> Data {
        if isIdentity { return encoded }
        var decoder = TransferDecoder(self)
        var output = decoder.decode(encoded)
        output.append(decoder.finish())
        return output
    }
}

/// Decodes a part as its bytes come in. Broken input is decoded as far as it can be read, never refused.
public struct TransferDecoder: Sendable {
    private var state: any DecodingState & Sendable

    public init(_ encoding: TransferEncoding) {
        state =
            switch encoding {
            case .sevenBit, .eightBit, .binary: IdentityDecoding()
            case .quotedPrintable: QuotedPrintableDecoding()
            case .base64: Base64Decoding()
            case .uuencode: UUDecoding()
            }
    }

    public mutating func decode(_ encoded: Data) -> Data {
        var output = ByteCollector(capacity: encoded.count)
        state.decode(encoded.span, into: &output)
        return Data(output.bytes)
    }

    /// The bytes still held back when the input ended.
    public mutating func finish() -> Data {
        var output = ByteCollector(capacity: 0)
        state.finish(into: &output)
        return Data(output.bytes)
    }
}

/// Takes decoded bytes: to keep them, or to know only how many they are.
protocol DecodedOutput {
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf more: [UInt8])
    /// No more are wanted.
    var isFull: Bool { get }
}

struct ByteCollector: DecodedOutput {
    var bytes: [UInt8] = []
    var limit = Int.max

    init(capacity: Int, limit: Int = .max) {
        bytes.reserveCapacity(min(capacity, limit))
        self.limit = limit
    }

    @inline(__always) mutating func append(_ byte: UInt8) { bytes.append(byte) }
    mutating func append(contentsOf more: [UInt8]) { bytes += more }
    @inline(__always) var isFull: Bool { bytes.count >= limit }
}

struct ByteCounter: DecodedOutput {
    var count = 0
    @inline(__always) mutating func append(_: UInt8) { count += 1 }
    mutating func append(contentsOf more: [UInt8]) { count += more.count }
    @inline(__always) var isFull: Bool { false }
}

/// Where in the input a decoder is, so that it can be fed in pieces.
protocol DecodingState {
    mutating func decode(_ encoded: Span<UInt8>, into output: inout some DecodedOutput)
    mutating func finish(into output: inout some DecodedOutput)
}

struct IdentityDecoding: DecodingState {
    func decode(_ encoded: Span<UInt8>, into output: inout some DecodedOutput) {
        for index in encoded.indices {
            if output.isFull { return }
            output.append(encoded[index])
        }
    }

    func finish(into output: inout some DecodedOutput) {}
}

extension TransferEncoding {
    /// How many bytes the content has.
    func decodedCount(_ encoded: Span<UInt8>) -> Int {
        var counter = ByteCounter()
        switch self {
        case .sevenBit, .eightBit, .binary: return encoded.count
        case .quotedPrintable: run(QuotedPrintableDecoding(), encoded, &counter)
        case .base64: return Base64Decoding.count(encoded)
        case .uuencode: run(UUDecoding(), encoded, &counter)
        }
        return counter.count
    }

    /// The beginning of the content: about `limit` bytes of it, or all.
    func decodedPrefix(_ encoded: Span<UInt8>, limit: Int) -> [UInt8] {
        var collector = ByteCollector(capacity: encoded.count, limit: limit)
        switch self {
        case .sevenBit, .eightBit, .binary: run(IdentityDecoding(), encoded, &collector)
        case .quotedPrintable: run(QuotedPrintableDecoding(), encoded, &collector)
        case .base64: run(Base64Decoding(), encoded, &collector)
        case .uuencode: run(UUDecoding(), encoded, &collector)
        }
        return collector.bytes
    }

    private func run(
        _ state: some DecodingState, _ encoded: Span<UInt8>, _ output: inout some DecodedOutput
    ) {
        var state = state
        state.decode(encoded, into: &output)
        state.finish(into: &output)
    }
}
