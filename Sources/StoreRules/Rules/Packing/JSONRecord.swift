public import FoundationEssentials
public import MailKernelAPI

/// Records that are few and read seldom, as JSON. Keys are sorted: equal values give equal bytes.
public enum JSONRecord {
    /// The bytes of a record. Equal records give equal bytes.
    public static func encode(_ value: some Encodable) throws(StorageError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(value)
        } catch {
            throw .invalid(reason: "a record cannot be written as JSON")
        }
    }

    /// The same for documents, of which there are many.
    public static func encode(_ value: JSONValue) throws(StorageError) -> Data {
        var bytes = JSONBytes()
        try bytes.write(value)
        return Data(bytes.bytes)
    }

    /// A record from its bytes.
    ///
    /// - Throws: `.corrupt` for bytes of anything else.
    public static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(StorageError)
        -> Value
    {
        // Of documents there are many.
        if type == JSONValue.self, let value = try JSONBytesReader.read(data) as? Value { return value }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .corrupt(reason: "a record of type \(type) cannot be read")
        }
    }
}
