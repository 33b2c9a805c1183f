/// A value of a list in which one that cannot be read does not spoil the others.
public struct Lenient<Value: Sendable & Decodable>: Sendable, Decodable {
    private struct Named: Decodable { let id: String? }

    public let value: Value?
    /// Of an object that could not be read.
    public let failedID: String?

    public init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
        failedID = value == nil ? (try? Named(from: decoder))?.id : nil
    }
}
