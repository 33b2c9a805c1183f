import FoundationEssentials
import MailKernelAPI

/// `--setting org.example.plugin.name=value`: a setting of a plugin for this start, over the one in its file.
enum SettingOption {
    static func read(_ arguments: inout Arguments) throws(UsageError) -> [String: PluginSettings] {
        var settings: [String: [String: JSONValue]] = [:]
        for text in try arguments.values("--setting") {
            guard let equals = text.firstIndex(of: "="),
                let dot = text[..<equals].lastIndex(of: "."),
                dot > text.startIndex, text.index(after: dot) < equals
            else {
                throw UsageError(
                    "--setting must be PLUGIN.NAME=VALUE, as in org.mailkernel.gmail.clientId=…, not “\(text)”."
                )
            }
            let name = String(text[text.index(after: dot)..<equals])
            settings[String(text[..<dot]), default: [:]][name] = value(text[text.index(after: equals)...])
        }
        return settings.mapValues { PluginSettings($0) }
    }

    /// JSON where it is some, so that numbers are numbers; a text otherwise.
    private static func value(_ text: Substring) -> JSONValue {
        (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .string(String(text))
    }
}
