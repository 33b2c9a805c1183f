import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Network
import PluginHost
import Store
import TestSupport

/// A kernel with mail in memory and a clock that is moved, whose account is on a real server: through the
/// plugin as it is built for users, and the network as it is.
struct RealMail {
    struct Service: Decodable {
        let imaps: Int
        let submissions: Int
        let certificate: String
    }

    enum Kind: String {
        case usual
        /// With an inbox and nothing else.
        case bare
        /// The same, and it does not say what it calls what is moved.
        case old
    }

    static let address = "ada@example.test"
    static let password = "password-for-tests"
    private static let pluginID = "org.mailkernel.imap"
    private static let folder = Checkout.root.appending(path: "Plugins/IMAPAccount")

    static var isInstalled: Bool {
        access("/usr/sbin/dovecot", X_OK) == 0
            && access(folder.appending(path: "libIMAPAccount.so").path, R_OK) == 0
    }

    let service: Service
    let test: TestKernel
    let account: Account
    /// Cuts connections, if asked to.
    let relay: Command?
    private let process: Command
    private let place: TemporaryFolder
    private let network: Network

    /// - Parameters:
    ///   - messages: how many the inbox begins with.
    ///   - inEach: how many each of four mailboxes begins with.
    ///   - faults: how many connections are cut, from SIGUSR1 to `relay` on.
    ///   - kind: which server.
    init(messages: Int = 0, inEach: Int = 0, faults: Int = 0, kind: Kind = .usual) async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        guard made.status == 0 else { throw CannotStart(description: made.errors) }
        place = try TemporaryFolder()
        process = try Command(
            TestServers.python, ["-B", Self.script("mail_service.py"), kind.rawValue])
        guard await process.line(containing: "}\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        service = try JSONDecoder().decode(Service.self, from: Data(process.outputSoFar.utf8))
        for (action, count) in [("fill", messages), ("spread", inEach)] where count > 0 {
            _ = try await Self.run(
                "other_client.py", [action, "\(service.imaps)", Self.address, "\(count)"])
        }
        network = Network(
            NetworkSettings(version: "0", systemCertificates: URL(filePath: service.certificate)),
            ledger: ConnectionLedger(folder: place.url.appending(path: "connections")))
        let provider = try Self.load(place, network)
        test = try await TestKernel(
            isStarted: false, clock: ManualClock(), hasAccounts: false, providers: [Self.pluginID: provider])
        // As the messages of the server are of today.
        test.clock.advance(by: Date().timeIntervalSince(test.clock.now))
        relay = faults > 0 ? try await Self.startRelay(to: service.imaps, faults) : nil
        let port = relay.flatMap { Int($0.outputSoFar.split(separator: "\n").first ?? "") } ?? service.imaps
        let candidate = try await Self.signIn(provider, service, imapPort: port)
        account = try await test.kernel.accounts.add(candidate, of: Self.pluginID)
    }

    private static func startRelay(to port: Int, _ faults: Int) async throws -> Command {
        let arguments = ["-B", script("faulty_relay.py"), "\(port)", "7", "\(faults)"]
        let relay = try Command(TestServers.python, arguments)
        guard await relay.line(containing: "\n") else {
            throw CannotStart(description: await relay.result().errors)
        }
        return relay
    }

    /// How many connections the relay has cut, as it has said last.
    var cuts: Int {
        let lines = relay?.outputSoFar.split(separator: "\n").dropFirst() ?? []
        return lines.last.flatMap { Int($0) } ?? 0
    }

    func stop() async {
        await test.kernel.stop()
        await network.close()
        relay?.signal(SIGTERM)
        process.signal(SIGTERM)
        _ = await process.result()
    }

    static func script(_ name: String) -> String {
        Checkout.root.appending(path: "Tests/Servers/\(name)").path
    }

    /// Runs a script to its end, and returns what it printed.
    static func run(_ name: String, _ arguments: [String]) async throws -> String {
        let result = try await Command.run(TestServers.python, ["-B", script(name)] + arguments)
        guard result.status == 0 else { throw CannotStart(description: "\(name): \(result.errors)") }
        return result.output
    }

    private static func load(_ place: TemporaryFolder, _ network: Network) throws -> any AccountProvider {
        let loader = PluginLoader(memoryFolder: place.url.appending(path: "memory")) { manifest in
            HostServices(
                pluginID: manifest.id, log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: MemorySecrets(), dataFolder: try place.folder("data"), clock: WallClock(),
                network: network.access(for: manifest.id, hosts: ["localhost"]))
        }
        let records = try loader.load(PluginSelection(folders: [folder]))
        guard case .account(let provider) = records.first?.provider else {
            throw CannotStart(description: "the plugin was not loaded: \(records.map(\.state))")
        }
        return provider
    }

    private static func signIn(
        _ provider: any AccountProvider, _ service: Service, imapPort: Int
    ) async throws -> AccountCandidate {
        let request = AuthorizationRequest(setupID: "imap", redirect: URL(filePath: "/"))
        var step = try await provider.authorize(.begin(request))
        let answers = [
            ["address": address, "password": password],
            [
                "user": address, "imapHost": "localhost", "imapPort": "\(imapPort)", "imapSecurity": "tls",
                "smtpHost": "localhost", "smtpPort": "\(service.submissions)", "smtpSecurity": "tls",
            ],
        ]
        for answer in answers {
            guard case .form(_, let memory) = step else { break }
            step = try await provider.authorize(.form(answer.mapValues { Secret($0) }, memory: memory))
        }
        guard case .finished(let candidates) = step, let candidate = candidates.first else {
            throw CannotStart(description: "the sign-in came to \(step)")
        }
        return candidate
    }

    // MARK: What there is

    /// What the server holds: of each mailbox its messages, by Message-ID and flags.
    func there() async throws -> [String: [String]] {
        let text = try await Self.run("other_client.py", ["show", "\(service.imaps)", Self.address])
        return try JSONDecoder().decode([String: [String]].self, from: Data(text.utf8))
    }

    /// The same of the kernel.
    func here() async throws -> [String: [String]] {
        var all: [String: [String]] = [:]
        let names: [Keyword: String] = [.seen: "\\Seen", .flagged: "\\Flagged", .answered: "\\Answered"]
        // The archive that the kernel makes itself is on no server.
        for stored in try await test.storage.mailboxes(nil, in: account.id) {
            let mailbox = stored.mailbox
            let query = EmailQuery(in: [account.id], filter: .inMailbox(mailbox.id), limit: 10_000)
            let ids = try await test.storage.queryEmails(query).hits.map(\.emailID)
            let messages = try await test.storage.emails(ids, in: account.id).map { stored in
                let flags = stored.email.keywords.compactMap { names[$0] }.sorted()
                return ([stored.email.header.messageID.first ?? "?"] + flags).joined(separator: " ")
            }
            all[mailbox.role == .inbox ? "INBOX" : mailbox.name] = messages.sorted()
        }
        return all
    }

    /// Looks there again and again until both are equal, and returns what they are then.
    func comeToRest(within limit: Duration = .seconds(300)) async throws -> (
        here: [String: [String]], there: [String: [String]]
    ) {
        let end = ContinuousClock.now + limit
        while true {
            test.clock.advance(by: 1600)
            await test.kernel.accounts.refresh(account.id)
            await test.kernel.accounts.settle(account.id)
            let pictures = (here: try await here(), there: try await there())
            if pictures.here == pictures.there || ContinuousClock.now > end { return pictures }
        }
    }
}
