/// The user's settings for one plugin: the object in `plugins/ID.json` of the configuration folder.
///
/// A plugin must work without any setting. Ignore a setting that cannot be used, and log a warning.
public struct PluginSettings: Sendable, Hashable, Codable {
    /// The settings by name; empty if the user has no file for this plugin.
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

    /// The setting of this name, or nil if the user did not set it.
    public subscript(name: String) -> JSONValue? { values[name] }
}
