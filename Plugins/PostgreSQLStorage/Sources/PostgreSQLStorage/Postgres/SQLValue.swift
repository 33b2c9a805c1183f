import FoundationEssentials
import MailKernelAPI

/// A value bound to a parameter, in PostgreSQL's binary form.
///
/// Texts are stored as `bytea`: a `text` cannot contain NUL, and bytes are compared as code points, whatever the
/// database's collation.
enum SQLValue {
    case integer(Int)
    case real(Double?)
    case flag(Bool)
    case bytes([UInt8]?)
    /// A text that is not stored: the words of a search.
    case text(String)
    case integers([Int])
    case reals([Double])
    case flags([Bool])
    case list([[UInt8]])
    /// The words of an email: see `WordVector`.
    case vector([UInt8])
    case vectors([[UInt8]])

    static func id<Of>(_ id: Id<Of>) -> SQLValue { .bytes(Array(id.rawValue.utf8)) }
    static func string(_ text: String?) -> SQLValue { .bytes(text.map { Array($0.utf8) }) }
    static func data(_ data: Data) -> SQLValue { .bytes(Array(data)) }
    static func date(_ date: Date) -> SQLValue { .real(date.timeIntervalSinceReferenceDate) }
    static func ids<Of>(_ ids: some Sequence<Id<Of>>) -> SQLValue {
        .list(ids.map { Array($0.rawValue.utf8) })
    }
    static func strings(_ texts: some Sequence<String>) -> SQLValue { .list(texts.map { Array($0.utf8) }) }

    /// PostgreSQL's number of the type.
    var type: UInt32 {
        switch self {
        case .flag: 16
        case .bytes: 17
        case .integer: 20
        case .text: 25
        case .real: 701
        case .flags: 1000
        case .list: 1001
        case .integers: 1016
        case .reals: 1022
        case .vector: 3614
        case .vectors: 3643
        }
    }

    /// Nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .integer(let number): Self.bigEndian(UInt64(bitPattern: Int64(number)))
        case .real(let number): number.map { Self.bigEndian($0.bitPattern) }
        case .flag(let flag): [flag ? 1 : 0]
        case .bytes(let bytes): bytes
        case .vector(let vector): vector
        case .text(let text): Array(text.utf8)
        case .integers(let numbers):
            Self.array(of: 20, numbers.map { Self.bigEndian(UInt64(bitPattern: Int64($0))) })
        case .reals(let numbers): Self.array(of: 701, numbers.map { Self.bigEndian($0.bitPattern) })
        case .flags(let flags): Self.array(of: 16, flags.map { [$0 ? 1 : 0] })
        case .list(let elements): Self.array(of: 17, elements)
        case .vectors(let vectors): Self.array(of: 3614, vectors)
        }
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func array(of type: UInt32, _ elements: [[UInt8]]) -> [UInt8] {
        var bytes = bigEndian(UInt32(elements.isEmpty ? 0 : 1)) + bigEndian(UInt32(0)) + bigEndian(type)
        guard !elements.isEmpty else { return bytes }
        bytes += bigEndian(UInt32(elements.count)) + bigEndian(UInt32(1))
        for element in elements { bytes += bigEndian(UInt32(element.count)) + element }
        return bytes
    }
}
