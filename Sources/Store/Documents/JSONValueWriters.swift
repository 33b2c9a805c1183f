import MailKernelAPI

/// Writes the members of an object.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let object: OpenObject
    private let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }

    init(_ object: OpenObject, _ trail: CodingTrail) {
        (self.object, self.trail) = (object, trail)
    }

    private func put(_ value: JSONValue, _ key: Key) {
        object.members[key.stringValue] = value
        if !object.open.isEmpty { object.open[key.stringValue] = nil }
    }

    func encodeNil(forKey key: Key) throws { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) throws { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) throws {
        put(try JSONValueEncoder.number(value, trail.inside(key)), key)
    }
    func encode(_ value: Float, forKey key: Key) throws {
        put(try JSONValueEncoder.number(value, trail.inside(key)), key)
    }
    func encode(_ value: Int, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: Int8, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: Int16, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: Int32, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: Int64, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: UInt, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: UInt8, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { put(.number(Double(value)), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { put(.number(Double(value)), key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        put(try JSONValueEncoder.encode(value, trail.inside(key)) ?? .object([:]), key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = object.open[key.stringValue] as? OpenObject ?? OpenObject()
        object.open[key.stringValue] = nested
        return KeyedEncodingContainer(KeyedWriter<Nested>(nested, trail.inside(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = object.open[key.stringValue] as? OpenArray ?? OpenArray()
        object.open[key.stringValue] = nested
        return UnkeyedWriter(nested, trail.inside(key))
    }

    func superEncoder() -> any Encoder { encoder(PlaceKey.parent.stringValue, PlaceKey.parent) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue, key) }

    private func encoder(_ name: String, _ key: any CodingKey) -> any Encoder {
        let encoder = JSONValueEncoder(trail.inside(key))
        object.open[name] = encoder
        return encoder
    }
}

/// Writes the elements of a list.
struct UnkeyedWriter: UnkeyedEncodingContainer {
    private let array: OpenArray
    private let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.path }
    var count: Int { array.elements.count }

    init(_ array: OpenArray, _ trail: CodingTrail) {
        (self.array, self.trail) = (array, trail)
    }

    private var next: CodingTrail { trail.inside(count) }

    private func add(_ value: JSONValue) { array.elements.append(value) }

    func encodeNil() throws { add(.null) }
    func encode(_ value: Bool) throws { add(.bool(value)) }
    func encode(_ value: String) throws { add(.string(value)) }
    func encode(_ value: Double) throws { add(try JSONValueEncoder.number(value, next)) }
    func encode(_ value: Float) throws { add(try JSONValueEncoder.number(value, next)) }
    func encode(_ value: Int) throws { add(.number(Double(value))) }
    func encode(_ value: Int8) throws { add(.number(Double(value))) }
    func encode(_ value: Int16) throws { add(.number(Double(value))) }
    func encode(_ value: Int32) throws { add(.number(Double(value))) }
    func encode(_ value: Int64) throws { add(.number(Double(value))) }
    func encode(_ value: UInt) throws { add(.number(Double(value))) }
    func encode(_ value: UInt8) throws { add(.number(Double(value))) }
    func encode(_ value: UInt16) throws { add(.number(Double(value))) }
    func encode(_ value: UInt32) throws { add(.number(Double(value))) }
    func encode(_ value: UInt64) throws { add(.number(Double(value))) }

    func encode(_ value: some Encodable) throws {
        add(try JSONValueEncoder.encode(value, next) ?? .object([:]))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let (nested, inside) = (OpenObject(), next)
        add(nested)
        return KeyedEncodingContainer(KeyedWriter<Nested>(nested, inside))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (nested, inside) = (OpenArray(), next)
        add(nested)
        return UnkeyedWriter(nested, inside)
    }

    func superEncoder() -> any Encoder {
        let encoder = JSONValueEncoder(next)
        add(encoder)
        return encoder
    }

    private func add(_ open: any Unfinished) {
        array.open[count] = open
        add(.null)
    }
}
