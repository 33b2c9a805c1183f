import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization

@testable import Gmail

/// A person with a Gmail account and a client, and the kernel's part in signing in.
struct GmailPerson: Sendable {
    static let redirect = URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/")

    let service: MailService
    let client: MailService.Client
    let address: String
    let host: HostServices
    let clock: ManualClock
    let log: LogLines

    /// - Parameters:
    ///   - isConfigured: the client stands in the settings.
    ///   - network: in the place of connections to the service.
    init(
        isConfigured: Bool = true, network: (any PluginNetwork)? = nil, more: [String: JSONValue] = [:],
        dataFolder: URL = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    ) async throws {
        service = try await MailService.gmail()
        client = try await service.newClient()
        address = MailServers.newAddress()
        clock = ManualClock()
        let log = LogLines()
        self.log = log
        var settings = more
        if isConfigured {
            settings["clientId"] = .string(client.id)
            settings["clientSecret"] = .string(client.secret)
        }
        try FileManager.default.createDirectory(at: dataFolder, withIntermediateDirectories: true)
        host = HostServices(
            pluginID: "org.mailkernel.gmail", log: PluginLog(least: .debug) { _, line in log.add(line) },
            settings: GmailSubject.settings(service, settings), secrets: MemorySecrets(),
            dataFolder: dataFolder, clock: clock, network: network ?? service.network)
    }

    /// As after a restart of the program.
    var provider: GmailProvider { GmailProvider(host) }

    func begin(_ account: Account? = nil) async throws -> AuthorizationStep {
        try await provider.authorize(
            .begin(AuthorizationRequest(setupID: "gmail", redirect: Self.redirect, account: account)))
    }

    /// Fills in the form and comes to the browser.
    func browser(_ answers: [String: String] = [:]) async throws -> (page: URL, memory: Secret) {
        var step = try await begin()
        if case .form(_, let memory) = step {
            let all = ["address": address].merging(answers) { _, new in new }
            step = try await provider.authorize(.form(all.mapValues { Secret($0) }, memory: memory))
        }
        guard case .browser(let page, let memory) = step else { throw Unexpected(step: "\(step)") }
        return (page, memory)
    }

    /// Comes back from the browser.
    func cameBack(_ items: [String: String], _ memory: Secret) async throws -> AccountCandidate {
        let step = try await provider.authorize(.redirected(items, memory: memory))
        guard case .finished(let candidates) = step, candidates.count == 1 else {
            throw Unexpected(step: "\(step)")
        }
        return candidates[0]
    }

    func candidate(as chosen: String? = nil) async throws -> AccountCandidate {
        let (page, memory) = try await browser()
        return try await cameBack(try await service.visit(page, as: chosen ?? address), memory)
    }

    /// The whole way, as the kernel goes it.
    func add() async throws -> (account: Account, secrets: MemorySecrets) {
        let candidate = try await candidate()
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

final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
