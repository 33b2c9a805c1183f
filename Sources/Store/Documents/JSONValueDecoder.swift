import FoundationEssentials
import MailKernelAPI

/// Decodes values from `JSONValue`s, with the results that JSONDecoder would have with their bytes.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try decode(type, value, .start)
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, _ value: JSONValue, _ trail: @autoclosure () -> CodingTrail
    ) throws -> Value {
        // Compared first: casts are slow, and few values are of these types.
        if type == String.self, case .string(let text) = value, let text = text as? Value { return text }
        if type == JSONValue.self, let value = value as? Value { return value }
        let place = trail()
        // A document of a store is no deeper, but not all values come from there.
        guard place.level <= JSONValueEncoder.mostLevels else {
            throw DecodingError.dataCorrupted(place.context("It is nested too deeply."))
        }
        let decoder = JSONValueDecoder(value: value, trail: place)
        if type == Data.self {
            let data = Data(base64Encoded: try decoder.decode(String.self))
            if let data = data as? Value { return data }
            throw DecodingError.dataCorrupted(place.context("It is not Base64."))
        }
        if type == URL.self {
            let url = URL(string: try decoder.decode(String.self))
            if let url = url as? Value { return url }
            throw DecodingError.dataCorrupted(place.context("It is not a URL."))
        }
        return try Value(from: decoder)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(KeyedReader<Key>(members, trail))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        return UnkeyedReader(elements, trail)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        guard !value.isNull else { return .valueNotFound(type, trail.context("It is null.")) }
        return .typeMismatch(type, trail.context("It is another kind of value."))
    }

    private func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard case .number(let number) = value else { throw mismatch(type) }
        if let whole = Number(exactly: number) { return whole }
        throw DecodingError.dataCorrupted(trail.context("\(number) does not fit \(type)."))
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let isTrue) = value else { throw mismatch(type) }
        return isTrue
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let number) = value else { throw mismatch(type) }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float {
        guard case .number(let number) = value else { throw mismatch(type) }
        let float = Float(number)
        guard float.isFinite else {
            throw DecodingError.dataCorrupted(trail.context("\(number) does not fit \(type)."))
        }
        return float
    }

    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Self.decode(type, value, trail) }
}

extension JSONValue {
    var isNull: Bool { if case .null = self { true } else { false } }
}
