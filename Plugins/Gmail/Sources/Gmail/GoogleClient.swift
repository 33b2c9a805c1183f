import FoundationEssentials
import MailKernelAPI
import OAuth
import Synchronization

/// The user's own client at Google: in the settings, in a file that Google gave, or typed once.
struct GoogleClient: Sendable {
    private static let secretName = "client"
    private static let sizeLimit = 64 * 1_024

    let host: HostServices
    private let recent = Recent()

    /// The client of a sign-in since the start: nothing is stored before an account is added, and the next
    /// account may be added before the first one is in use.
    private final class Recent: Sendable {
        let client = Mutex<OAuthClient?>(nil)
    }

    init(host: HostServices) {
        self.host = host
    }

    /// Nil if there is none: the user has to be asked.
    func configured() async throws(AccountError) -> OAuthClient? {
        if let client = inSettings ?? inFile ?? recent.client.withLock({ $0 }) { return client }
        do throws(SecretError) {
            return try await host.secrets.secret(named: Self.secretName).flatMap { Self.read($0.revealed) }
        } catch {
            // Without a secret store no account can be added either, which is reported later.
            guard error == .locked else { return nil }
            throw .secrets(error)
        }
    }

    /// Google has let this one in.
    func note(_ client: OAuthClient) {
        recent.client.withLock { $0 = client }
    }

    /// Keeps a client that an added account uses, so that the next one need not ask for it.
    func remember(_ client: OAuthClient) async {
        let kept = Kept(id: client.id, secret: client.secret?.revealed)
        guard isTyped, let data = try? JSONEncoder().encode(["installed": kept])
        else { return }
        let text = String(decoding: data, as: UTF8.self)
        // That it could not be kept means to be asked once more.
        guard
            (try? await host.secrets.secret(named: Self.secretName))?.flatMap({ Self.read($0.revealed) })
                != client
        else { return }
        try? await host.secrets.store(Secret(text), named: Self.secretName)
    }

    /// Whether the user can only say another one in the form.
    var isTyped: Bool { inSettings == nil && inFile == nil }

    /// Google no longer accepts it: the next sign-in asks for another.
    func forget(_ client: OAuthClient) async {
        recent.client.withLock { if $0 == client { $0 = nil } }
        guard
            (try? await host.secrets.secret(named: Self.secretName))?.flatMap({ Self.read($0.revealed) })
                == client
        else { return }
        try? await host.secrets.removeSecret(named: Self.secretName)
    }

    private var inSettings: OAuthClient? {
        guard let id = host.settings["clientId"]?.stringValue, !id.isEmpty else { return nil }
        return OAuthClient(id: id, secret: host.settings["clientSecret"]?.stringValue.map { Secret($0) })
    }

    /// What Google lets one download, in the plugin's folder as it came: `client_secret_….json`.
    private var inFile: OAuthClient? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: host.dataFolder.path)) ?? []
        let files = names.filter { $0.hasPrefix("client") && $0.hasSuffix(".json") }.sorted()
        for file in files {
            let path = host.dataFolder.appending(path: file)
            if let data = try? Data(contentsOf: path), data.count <= Self.sizeLimit,
                let client = Self.read(String(decoding: data, as: UTF8.self))
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

    /// Reads what Google lets one download; nil if it is not of a desktop client.
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
