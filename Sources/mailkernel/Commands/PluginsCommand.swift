import FoundationEssentials
import Kernel
import MailKernelAPI
import PluginHost

/// Lists plugins and changes their settings.
enum PluginsCommand {
    static func run(_ arguments: inout Arguments) async throws {
        switch arguments.word() {
        case nil: try manage(&arguments)
        case "test": try await PluginTestCommand(&arguments).run()
        case "secret": try await PluginSecretCommand(&arguments).run()
        case "new": try PluginNewCommand(&arguments).run()
        case .some(let word): throw UsageError("“plugins \(word)” does not exist.")
        }
    }

    private static func manage(_ arguments: inout Arguments) throws {
        let isJSON = arguments.flag("--json")
        let retry = try arguments.value("--retry")
        let disable = try arguments.value("--disable")
        let enable = try arguments.value("--enable")
        let options = try CommonOptions(&arguments)
        try arguments.finish()
        guard [retry, disable, enable].count(where: { $0 != nil }) <= 1 else {
            throw UsageError("Use only one of --retry, --disable and --enable at a time.")
        }
        if let retry { return try forgetCrash(of: retry, options) }
        if let id = disable ?? enable {
            try PluginPreferences(options.folders).setDisabled(disable != nil, id)
            return print("“\(id)” will be \(disable == nil ? "on" : "off") from the next start.")
        }
        let listings = try options.loadPlugins(unless: StopSignals().check).map(PluginListing.init)
        if isJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(listings), as: UTF8.self))
        } else if listings.isEmpty {
            print("No plugins found.")
        } else {
            print(listings.map(\.text).joined(separator: "\n\n"))
        }
    }

    private static func forgetCrash(of id: String, _ options: CommonOptions) throws {
        guard try PluginLoader.retry(id, memoryFolder: options.folders.pluginMemory) else {
            throw CommandError(
                "The plugin “\(id)” was not skipped, so there is nothing to retry.")
        }
        print("“\(id)” will be tried again at the next start.")
    }
}
