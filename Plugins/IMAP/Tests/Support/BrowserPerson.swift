public import FoundationEssentials
public import MailKernelAPI
public import MailKernelConformance
import Synchronization

/// A person with an account at a `MailService` who signs in with the browser, and the kernel's part in it.
public protocol BrowserPerson: Sendable {
    associatedtype Provider: AccountProvider

    /// The setup that is meant if none is named.
    static var setupID: String { get }

    var service: MailService { get }
    var address: String { get }
    var host: HostServices { get }
    /// A new one, as after a restart of the program.
    var provider: Provider { get }
}

extension BrowserPerson {
    /// Where the browser comes back to.
    public static var redirect: URL { URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/") }

    public func begin(
        _ setup: String = Self.setupID, again: Account? = nil
    ) async throws -> AuthorizationStep {
        try await provider.authorize(
            .begin(AuthorizationRequest(setupID: setup, redirect: Self.redirect, account: again)))
    }

    /// Fills in the form, if there is one, and comes to the browser.
    public func browser(
        _ answers: [String: String] = [:], setup: String = Self.setupID
    ) async throws -> (page: URL, memory: Secret) {
        var step = try await begin(setup)
        if case .form(_, let memory) = step {
            let all = ["address": address].merging(answers) { _, new in new }
            step = try await provider.authorize(.form(all.mapValues { Secret($0) }, memory: memory))
        }
        guard case .browser(let page, let memory) = step else { throw Unexpected(step: "\(step)") }
        return (page, memory)
    }

    /// Comes back from the browser.
    public func cameBack(_ items: [String: String], _ memory: Secret) async throws -> AccountCandidate {
        let step = try await provider.authorize(.redirected(items, memory: memory))
        guard case .finished(let candidates) = step, candidates.count == 1 else {
            throw Unexpected(step: "\(step)")
        }
        return candidates[0]
    }

    /// - Parameter chosen: another address that is chosen in the browser.
    public func candidate(
        _ answers: [String: String] = [:], setup: String = Self.setupID, as chosen: String? = nil
    ) async throws -> AccountCandidate {
        let (page, memory) = try await browser(answers, setup: setup)
        return try await cameBack(try await service.visit(page, as: chosen ?? address), memory)
    }

    /// Adds the account, as the kernel does.
    public func account(
        _ candidate: AccountCandidate
    ) async throws -> (account: Account, secrets: MemorySecrets) {
        let validated = try await provider.validate(candidate)
        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: host.pluginID, address: validated.address,
            displayName: validated.displayName, addedAt: host.clock.now, settings: candidate.settings)
        return (account, secrets)
    }

    /// The whole way.
    public func add() async throws -> (account: Account, secrets: MemorySecrets) {
        try await account(try await candidate())
    }
}

/// A sign-in came to another step than it should.
public struct Unexpected: Error {
    let step: String

    public init(step: String) { self.step = step }
}

/// What a plugin has logged.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    public init() {}

    public func add(_ line: String) { lines.withLock { $0.append(line) } }
    public var all: [String] { lines.withLock { $0 } }
}

extension MailService {
    /// The settings of a plugin for services like Gmail and Microsoft.
    public func settings(_ more: [String: JSONValue] = [:]) -> PluginSettings {
        let values: [String: JSONValue] = [
            "authorizationUrl": .string("\(oauth)/o/oauth2/v2/auth"),
            "tokenUrl": .string("\(oauth)/token"),
            "revocationUrl": .string("\(oauth)/revoke"),
            "imap": ["host": "localhost", "port": .number(Double(place.imaps))],
            "submission": ["host": "localhost", "port": .number(Double(place.submissions))],
        ]
        return PluginSettings(values.merging(more) { _, new in new })
    }

    /// Host services of such a plugin.
    public func host(
        _ pluginID: String, _ settings: [String: JSONValue], clock: ManualClock, log: LogLines = LogLines(),
        network: (any PluginNetwork)? = nil,
        dataFolder: URL = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    ) throws -> HostServices {
        try FileManager.default.createDirectory(at: dataFolder, withIntermediateDirectories: true)
        return HostServices(
            pluginID: pluginID, log: PluginLog(least: .debug) { _, line in log.add(line) },
            settings: self.settings(settings), secrets: MemorySecrets(), dataFolder: dataFolder,
            clock: clock, network: network ?? self.network)
    }
}
