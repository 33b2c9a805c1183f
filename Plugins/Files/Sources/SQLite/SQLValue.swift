import FoundationEssentials

/// A value that is bound to a statement.
public enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    @inlinable public static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
    @inlinable public static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    @inlinable public static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    /// In the representation of `Date`, so that it is returned unchanged.
    @inlinable public static func date(_ date: Date) -> SQLValue {
        .real(date.timeIntervalSinceReferenceDate)
    }
}
