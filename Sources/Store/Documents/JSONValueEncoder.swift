import FoundationEssentials
import MailKernelAPI

/// Encodes values as `JSONValue`s with the results that JSONEncoder's bytes, read again, would give, in a
/// fraction of the time: nothing is written as text in between.
///
/// Like JSONEncoder, it writes dates as seconds since 2001, data as Base64 and URLs as strings, and refuses numbers
/// that JSON does not have.
final class JSONValueEncoder: Encoder {
    /// As deep as JSONDecoder reads: a deeper document could be written, but never read again.
    static let mostLevels = 512

    /// What the value has asked for so far.
    private enum Result {
        case nothing
        case single(JSONValue)
        case object(OpenObject)
        case array(OpenArray)
    }

    let trail: CodingTrail
    private var result = Result.nothing

    var codingPath: [any CodingKey] { trail.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ trail: CodingTrail) {
        self.trail = trail
    }

    static func encode(_ value: some Encodable) throws -> JSONValue {
        guard let encoded = try encode(value, .start) else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "It encoded no value.")
            throw EncodingError.invalidValue(value, context)
        }
        return encoded
    }

    /// Nil for a value that encodes nothing.
    static func encode<Value: Encodable>(_ value: Value, _ trail: CodingTrail) throws -> JSONValue? {
        guard trail.level <= mostLevels else { throw trail.refusal(of: value, "It is nested too deeply.") }
        // Compared first: casts are slow, and few values are of these types.
        if Value.self == JSONValue.self, let value = value as? JSONValue { return try checked(value, trail) }
        if Value.self == Data.self, let data = value as? Data { return .string(data.base64EncodedString()) }
        if Value.self == URL.self, let url = value as? URL { return .string(url.absoluteString) }
        let encoder = JSONValueEncoder(trail)
        try value.encode(to: encoder)
        guard trail.level < mostLevels || !encoder.isContainer else {
            throw trail.refusal(of: value, "It is nested too deeply.")
        }
        return encoder.finished
    }

    /// The value as a number.
    static func number(_ value: Double, _ trail: @autoclosure () -> CodingTrail) throws -> JSONValue {
        guard value.isFinite else { throw trail().refusal(of: value, "JSON has no such number.") }
        return .number(value)
    }

    /// By its digits, as JSONEncoder writes it: 0.1 and not 0.10000000149.
    static func number(_ value: Float, _ trail: @autoclosure () -> CodingTrail) throws -> JSONValue {
        try number(Double(value.description) ?? Double(value), trail())
    }

    private static func checked(_ value: JSONValue, _ trail: CodingTrail) throws -> JSONValue {
        guard value.isWritable(below: mostLevels - trail.level) else {
            throw trail.refusal(of: value, "JSON has no such value.")
        }
        return value
    }

    private var isContainer: Bool {
        switch result {
        case .nothing, .single: false
        case .object, .array: true
        }
    }

    var finished: JSONValue? {
        switch result {
        case .nothing: nil
        case .single(let value): value
        case .object(let object): object.finished
        case .array(let array): array.finished
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let object: OpenObject
        if case .object(let open) = result { object = open } else { object = OpenObject() }
        result = .object(object)
        return KeyedEncodingContainer(KeyedWriter<Key>(object, trail))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let array: OpenArray
        if case .array(let open) = result { array = open } else { array = OpenArray() }
        result = .array(array)
        return UnkeyedWriter(array, trail)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { result = .single(.null) }
    func encode(_ value: Bool) throws { result = .single(.bool(value)) }
    func encode(_ value: String) throws { result = .single(.string(value)) }
    func encode(_ value: Double) throws { result = .single(try Self.number(value, trail)) }
    func encode(_ value: Float) throws { result = .single(try Self.number(value, trail)) }
    func encode(_ value: Int) throws { result = .single(.number(Double(value))) }
    func encode(_ value: Int8) throws { result = .single(.number(Double(value))) }
    func encode(_ value: Int16) throws { result = .single(.number(Double(value))) }
    func encode(_ value: Int32) throws { result = .single(.number(Double(value))) }
    func encode(_ value: Int64) throws { result = .single(.number(Double(value))) }
    func encode(_ value: UInt) throws { result = .single(.number(Double(value))) }
    func encode(_ value: UInt8) throws { result = .single(.number(Double(value))) }
    func encode(_ value: UInt16) throws { result = .single(.number(Double(value))) }
    func encode(_ value: UInt32) throws { result = .single(.number(Double(value))) }
    func encode(_ value: UInt64) throws { result = .single(.number(Double(value))) }

    func encode(_ value: some Encodable) throws {
        result = .single(try Self.encode(value, trail) ?? .object([:]))
    }
}

/// An object that is not finished while containers inside of it are written.
final class OpenObject {
    var members: [String: JSONValue] = [:]
    var open: [String: any Unfinished] = [:]

    var finished: JSONValue {
        guard !open.isEmpty else { return .object(members) }
        return .object(members.merging(open.mapValues(\.value)) { _, later in later })
    }
}

/// A list that is not finished while containers inside of it are written.
final class OpenArray {
    var elements: [JSONValue] = []
    var open: [Int: any Unfinished] = [:]

    var finished: JSONValue {
        var elements = elements
        for (index, value) in open { elements[index] = value.value }
        return .array(elements)
    }
}

/// A container that may still be written to.
protocol Unfinished {
    var value: JSONValue { get }
}

extension OpenObject: Unfinished {
    var value: JSONValue { finished }
}

extension OpenArray: Unfinished {
    var value: JSONValue { finished }
}

extension JSONValueEncoder: Unfinished {
    var value: JSONValue { finished ?? .object([:]) }
}

extension JSONValue {
    /// Whether JSON can express it, in so many levels at most.
    fileprivate func isWritable(below levels: Int) -> Bool {
        switch self {
        case .null, .bool, .string: true
        case .number(let number): number.isFinite
        case .array(let elements): levels > 0 && elements.allSatisfy { $0.isWritable(below: levels - 1) }
        case .object(let members):
            levels > 0 && members.values.allSatisfy { $0.isWritable(below: levels - 1) }
        }
    }
}
