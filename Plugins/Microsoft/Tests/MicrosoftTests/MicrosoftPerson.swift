import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance

@testable import Microsoft

/// A person with an account at a service like Microsoft's.
struct MicrosoftPerson: BrowserPerson {
    static let setupID = "microsoft"

    let service: MailService
    let client: MailService.Client
    let address = MailServers.newAddress()
    let host: HostServices

    /// - Parameter isConfigured: the client stands in the settings.
    init(isConfigured: Bool = true) async throws {
        service = try await MailService.gmail()
        client = try await service.newClient()
        host = try service.host(
            "org.mailkernel.microsoft", isConfigured ? ["clientId": .string(client.id)] : [:],
            clock: ManualClock())
    }

    var provider: MicrosoftProvider { MicrosoftProvider(host) }
}
