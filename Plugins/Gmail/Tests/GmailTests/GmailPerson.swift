import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance

@testable import Gmail

/// A person with a Gmail account and a client.
struct GmailPerson: BrowserPerson {
    static let setupID = "gmail"

    let service: MailService
    let client: MailService.Client
    let address = MailServers.newAddress()
    let host: HostServices
    let clock = ManualClock()
    let log = LogLines()

    /// - Parameters:
    ///   - isConfigured: the client stands in the settings.
    ///   - network: in the place of connections to the service.
    init(
        isConfigured: Bool = true, network: (any PluginNetwork)? = nil, more: [String: JSONValue] = [:],
        dataFolder: URL = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    ) async throws {
        service = try await MailService.gmail()
        client = try await service.newClient()
        var settings = more
        if isConfigured {
            settings["clientId"] = .string(client.id)
            settings["clientSecret"] = .string(client.secret)
        }
        host = try service.host(
            "org.mailkernel.gmail", settings, clock: clock, log: log, network: network,
            dataFolder: dataFolder)
    }

    var provider: GmailProvider { GmailProvider(host) }
}
