import FoundationEssentials

/// A value that its document holds as one text: reading a document costs time for each value in it, and a reply can go
/// to 100,000 recipients.
@propertyWrapper
package struct AsText<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            // Written before it was a text.
            wrappedValue = try container.decode(Value.self)
            return
        }
        wrappedValue = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: JSONEncoder().encode(wrappedValue), as: UTF8.self))
    }
}
