import FoundationEssentials
public import MailKernelAPI

/// What `plugin.json` says about a plugin, checked. Nothing of the plugin has run to learn it.
public struct PluginManifest: Sendable, Hashable {
    public var id: String
    public var name: String
    public var version: String
    public var api: APIVersion
    public var kind: PluginKind
    /// The file name of the library, in the manifest's folder.
    public var library: String
    public var license: String
    public var author: String
    /// What the plugin does, in a sentence; empty if the manifest does not say.
    public var description: String
    /// The hosts that the plugin may talk to, each a name, `*.name` or `*` for any.
    public var hosts: [String]
    /// Whether a storage plugin is used where the user has chosen none.
    public var isDefault: Bool
    /// The settings that the page asks the user for.
    public var settings: [PluginSetting]
    /// Keys of the file that mean nothing here.
    public var unknownKeys: [String]

    static let sizeLimit = 64 * 1024

    init(parsing data: Data) throws(Refusal) {
        guard Self.isShallow(data) else {
            throw .manifestKey("", "its lists and objects are nested too deeply")
        }
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw .manifestNotJSON
        }
        guard let fields = json.objectValue else { throw .manifestKey("", "the file is not a JSON object") }
        var reader = ManifestReader(fields: fields)
        id = try reader.text("id", upTo: 100)
        guard Self.isID(id) else {
            throw .manifestKey(
                "id",
                "it may contain only lowercase letters, digits, dots and hyphens, as in "
                    + "“org.example.weather”")
        }
        name = try reader.text("name", upTo: 100)
        version = try reader.text("version", upTo: 50)
        let apiText = try reader.text("api", upTo: 20)
        guard let api = APIVersion(apiText) else {
            throw .manifestKey("api", "“\(apiText)” is not a version such as “\(APIVersion.current)”")
        }
        self.api = api
        let kindText = try reader.text("kind", upTo: 50)
        guard let kind = PluginKind(rawValue: kindText) else { throw .unknownKind(kindText) }
        self.kind = kind
        library = try reader.text("library", upTo: 200)
        guard !library.contains("/"), !library.hasPrefix("."), library.hasSuffix(".so") else {
            throw .manifestKey("library", "it must be the name of a “.so” file in the same folder")
        }
        license = try reader.text("license", upTo: 100)
        author = try reader.text("author", upTo: 200)
        description = try reader.optionalText("description", upTo: 500)
        hosts = try reader.texts("hosts", upTo: 100)
        for host in hosts where !Self.isHostPattern(host) {
            throw .manifestKey("hosts", "“\(host)” is not a host name, “*.name” or “*”")
        }
        isDefault = try reader.flag("default")
        settings = []
        for value in try reader.list("settings", upTo: 20) { settings.append(try PluginSetting(value)) }
        guard Set(settings.map(\.name)).count == settings.count else {
            throw .manifestKey("settings", "two of them have the same name")
        }
        unknownKeys = reader.unreadKeys
    }

    /// Looked at before decoding, which takes very long for deep nesting.
    private static func isShallow(_ data: Data) -> Bool {
        var depth = 0
        var isInText = false
        var isEscaped = false
        for byte in data {
            if isEscaped {
                isEscaped = false
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
                isInText = byte != UInt8(ascii: "\"")
            } else {
                isInText = byte == UInt8(ascii: "\"")
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth -= 1 }
            }
            if depth > 8 { return false }
        }
        return true
    }

    /// The id names files and folders, so it may contain only harmless characters.
    private static func isID(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        } && text.first != "." && text.first != "-" && text.last != "." && !text.contains("..")
    }

    private static func isHostPattern(_ text: String) -> Bool {
        if text == "*" { return true }
        let name = text.hasPrefix("*.") ? text.dropFirst(2) : Substring(text)
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return (1...253).contains(name.utf8.count)
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || byte == UInt8(ascii: "-")
                    }
            }
    }
}
