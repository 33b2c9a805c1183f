import FoundationEssentials
import MailKernelAPI

/// A value that is bound to a statement.
enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
    static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    static func id<Of>(_ id: Id<Of>) -> SQLValue { .text(id.rawValue) }
    /// In the representation of `Date`, so that it is returned unchanged.
    static func date(_ date: Date) -> SQLValue { .real(date.timeIntervalSinceReferenceDate) }
}
