import FoundationEssentials
import MailKernelAPI

extension Document {
    /// The value in it; nil if another version of the program wrote it differently. This is the one place that is
    /// lenient about documents: what cannot be read from the store throws before this.
    package func read<Value: Decodable>(as type: Value.Type) -> Value? { try? value.decoded(as: type) }
}

extension JSONValue {
    /// A value as the JSON it encodes to.
    package init(encoding value: some Encodable) throws {
        self = try JSONValueEncoder.encode(value)
    }

    /// The value that this JSON stands for.
    package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONValueDecoder.decode(type, from: self)
    }
}
