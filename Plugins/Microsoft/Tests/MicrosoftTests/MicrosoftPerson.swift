import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance

@testable import Microsoft

/// A person with an account at a service like Microsoft's, and the kernel's part in signing in.
struct MicrosoftPerson: Sendable {
    static let redirect = URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/")

    let service: MailService
    let client: MailService.Client
    let address: String
    let host: HostServices
    let clock: ManualClock

    /// - Parameter isConfigured: the client stands in the settings.
    init(isConfigured: Bool = true, more: [String: JSONValue] = [:]) async throws {
        service = try await MailService.gmail()
        client = try await service.newClient()
        address = MailServers.newAddress()
        clock = ManualClock()
        var settings = more
        if isConfigured { settings["clientId"] = .string(client.id) }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        host = HostServices(
            pluginID: "org.mailkernel.microsoft", log: PluginLog(least: .debug) { _, _ in },
            settings: Self.settings(service, settings), secrets: MemorySecrets(), dataFolder: folder,
            clock: clock, network: service.network)
    }

    static func settings(_ service: MailService, _ more: [String: JSONValue] = [:]) -> PluginSettings {
        let values: [String: JSONValue] = [
            "authorizationUrl": .string("\(service.oauth)/o/oauth2/v2/auth"),
            "tokenUrl": .string("\(service.oauth)/token"),
            "imap": ["host": "localhost", "port": .number(Double(service.place.imaps))],
            "submission": ["host": "localhost", "port": .number(Double(service.place.submissions))],
        ]
        return PluginSettings(values.merging(more) { _, new in new })
    }

    /// As after a restart of the program.
    var provider: MicrosoftProvider { MicrosoftProvider(host) }

    func begin(_ setup: String = "microsoft", again account: Account? = nil) async throws -> AuthorizationStep
    {
        try await provider.authorize(
            .begin(AuthorizationRequest(setupID: setup, redirect: Self.redirect, account: account)))
    }

    /// Fills in the form and comes to the browser.
    func browser(
        _ setup: String = "microsoft", _ answers: [String: String] = [:]
    ) async throws -> (page: URL, memory: Secret) {
        var step = try await begin(setup)
        if case .form(_, let memory) = step {
            let all = ["address": address].merging(answers) { _, new in new }
            step = try await provider.authorize(.form(all.mapValues { Secret($0) }, memory: memory))
        }
        guard case .browser(let page, let memory) = step else { throw Unexpected(step: "\(step)") }
        return (page, memory)
    }

    func cameBack(_ items: [String: String], _ memory: Secret) async throws -> AccountCandidate {
        let step = try await provider.authorize(.redirected(items, memory: memory))
        guard case .finished(let candidates) = step, candidates.count == 1 else {
            throw Unexpected(step: "\(step)")
        }
        return candidates[0]
    }

    func candidate(
        _ setup: String = "microsoft", _ answers: [String: String] = [:], as chosen: String? = nil
    ) async throws -> AccountCandidate {
        let (page, memory) = try await browser(setup, answers)
        return try await cameBack(try await service.visit(page, as: chosen ?? address), memory)
    }

    func account(_ candidate: AccountCandidate) async throws -> (Account, MemorySecrets) {
        let validated = try await provider.validate(candidate)
        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: host.pluginID, address: validated.address,
            displayName: validated.displayName, addedAt: clock.now, settings: candidate.settings)
        return (account, secrets)
    }
}

struct Unexpected: Error { let step: String }
