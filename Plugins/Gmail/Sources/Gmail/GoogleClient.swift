import FoundationEssentials
import MailKernelAPI
import OAuth

/// The user's own client at Google: in the settings, in a file that Google gave, or typed once.
enum GoogleClient {
    private static let sizeLimit = 64 * 1_024

    static func memory(_ host: HostServices) -> ClientMemory {
        ClientMemory(host.secrets, format: ClientMemory.Format(text: text, client: read)) {
            inSettings(host.settings) ?? inFile(host)
        }
    }

    private static func inSettings(_ settings: PluginSettings) -> OAuthClient? {
        guard let id = settings["clientId"]?.stringValue, !id.isEmpty else { return nil }
        return OAuthClient(id: id, secret: settings["clientSecret"]?.stringValue.map { Secret($0) })
    }

    /// What Google lets one download, in the plugin's folder as it came: `client_secret_….json`.
    private static func inFile(_ host: HostServices) -> OAuthClient? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: host.dataFolder.path)) ?? []
        let files = names.filter { $0.hasPrefix("client") && $0.hasSuffix(".json") }.sorted()
        for file in files {
            let path = host.dataFolder.appending(path: file)
            if let data = try? Data(contentsOf: path), data.count <= sizeLimit,
                let client = read(String(decoding: data, as: UTF8.self))
            {
                return client
            }
            host.log.warning("A client file in the plugin's folder is not for a desktop client.")
        }
        return nil
    }

    // MARK: Google's format

    private struct Kept: Codable {
        let id: String
        let secret: String?

        enum CodingKeys: String, CodingKey {
            case id = "client_id"
            case secret = "client_secret"
        }
    }

    private struct Whole: Decodable {
        let installed: Kept?
        let web: Kept?
    }

    @Sendable
    private static func text(_ client: OAuthClient) -> String? {
        let kept = Kept(id: client.id, secret: client.secret?.revealed)
        return (try? JSONEncoder().encode(["installed": kept])).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads what Google lets one download; nil if it is not of a desktop client.
    @Sendable
    static func read(_ text: String) -> OAuthClient? {
        guard text.utf8.count <= sizeLimit,
            let whole = try? JSONDecoder().decode(Whole.self, from: Data(text.utf8)),
            let kept = whole.installed, !kept.id.isEmpty
        else { return nil }
        return OAuthClient(id: kept.id, secret: kept.secret.map { Secret($0) })
    }

    static func isOfAWebPage(_ text: String) -> Bool {
        (try? JSONDecoder().decode(Whole.self, from: Data(text.utf8)))?.web != nil
    }
}
