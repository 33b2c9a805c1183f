/// What the user set for one plugin: the object in `plugins/ID.json` of the configuration folder.
///
/// A plugin works without any setting. One that it cannot use is ignored, with a warning in the log.
public struct PluginSettings: Sendable, Hashable, Codable {
    public let values: [String: JSONValue]

    public init(_ values: [String: JSONValue] = [:]) {
        self.values = values
    }

    public init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }

    public subscript(name: String) -> JSONValue? { values[name] }
}
