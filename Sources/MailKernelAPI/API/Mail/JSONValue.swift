/// Any JSON value, for settings and other data whose shape the kernel does not know.
public enum JSONValue: Sendable, Hashable, Codable {
    /// JSON's `null`. A missing key is nil instead.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number. A whole number up to 2⁵³ keeps its exact value and is written without a decimal point.
    case number(Double)
    /// A string.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Values by key. The order of the keys is not kept.
    case object([String: JSONValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            // 5 and not 5.0, so that what was an integer is read back as one by every reader.
            if let integer = Int64(exactly: value) {
                try container.encode(integer)
            } else {
                try container.encode(value)
            }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The string, or nil if this is another kind of value.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value, or nil if this is another kind of value.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number, or nil if this is another kind of value.
    public var numberValue: Double? { if case .number(let value) = self { value } else { nil } }
    /// The number if it is a whole one that fits; otherwise nil.
    public var intValue: Int? { numberValue.flatMap(Int.init(exactly:)) }
    /// The list, or nil if this is another kind of value.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The values by key, or nil if this is another kind of value.
    public var objectValue: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The value of this key; nil if there is none, or if this is not an object.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    public init(nilLiteral: ()) { self = .null }
}
