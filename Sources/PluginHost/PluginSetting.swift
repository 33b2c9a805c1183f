import MailKernelAPI

/// A setting that a plugin declares in `plugin.json`, so that the page can ask for it.
public struct PluginSetting: Sendable, Hashable {
    public enum Kind: String, Sendable {
        /// A string in the plugin's settings file.
        case text
        /// A password or token in the plugin's part of the secret store.
        case secret
    }

    /// The setting's name in the file, or the secret's.
    public var name: String
    /// What the user reads beside the field.
    public var title: String
    /// What to enter, in a sentence or two; empty if the title says it.
    public var explanation: String
    public var kind: Kind
    public var isRequired: Bool

    init(_ value: JSONValue) throws(Refusal) {
        guard let fields = value.objectValue else {
            throw .manifestKey("settings", "it is not a list of objects")
        }
        var reader = ManifestReader(fields: fields, within: "settings")
        name = try reader.text("name", upTo: 100)
        title = try reader.text("title", upTo: 100)
        explanation = try reader.optionalText("explanation", upTo: 500)
        let kindText = try reader.text("kind", upTo: 20)
        guard let kind = Kind(rawValue: kindText) else {
            throw .manifestKey("settings", "the kind “\(kindText)” is neither “text” nor “secret”")
        }
        self.kind = kind
        isRequired = try reader.flag("required")
    }
}
