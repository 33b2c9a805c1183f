import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance

@testable import IMAP

/// A server in memory with an account, and sessions on it.
struct ServerInMemory {
    let server: GmailServer
    let network: MemoryNetwork
    /// Connections that are open.
    let connections: Watched<Int>
    let clock = ManualClock()
    var behavior = IMAPBehavior()
    /// Of all sessions, as after restarts.
    let dataFolder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    /// Everything that Gmail offers, but for its extension: folders.
    static let folders =
        "IMAP4rev1 UNSELECT IDLE NAMESPACE ID UIDPLUS ENABLE MOVE CONDSTORE ESEARCH LIST-STATUS LITERAL- SPECIAL-USE"

    init(
        _ settings: GmailServer.Settings = GmailServer.Settings(),
        faults: @escaping @Sendable (Int) -> Faults = { _ in Faults() }
    ) {
        let server = GmailServer(settings)
        self.server = server
        let connections = Watched(0)
        self.connections = connections
        let count: @Sendable (Int) -> Void = { more in connections.withLock { $0 += more } }
        network = MemoryNetwork(faults: faults, changed: count) { server.session() }
    }

    static func answering(
        capabilities: String = GmailServer.capabilities,
        _ answers: @escaping @Sendable (_ verb: String, _ tag: String, _ connection: Int) -> String?
    ) -> ServerInMemory {
        with(capabilities) { $0.answers = answers }
    }

    static func with(
        _ capabilities: String, _ change: (inout GmailServer.Settings) -> Void
    ) -> ServerInMemory {
        var settings = GmailServer.Settings()
        settings.capabilities = capabilities
        change(&settings)
        return ServerInMemory(settings)
    }

    func session(
        _ token: @escaping @Sendable (Secret?) async throws(AccountError) -> Secret = { _ in Secret("good") }
    ) -> IMAPAccountSession {
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: dataFolder, clock: clock, network: network)
        return IMAPAccountSession(
            IMAPConfiguration(
                imap: MailServer("imap.gmail.test", port: 993), submission: nil,
                login: .oauth(user: "me@gmail.test", token: token), behavior: behavior),
            host: host)
    }

    static func message(_ number: Int, text: String = "Hello") -> String {
        "From: <a@b.test>\r\nSubject: Number \(number)\r\nMessage-ID: <\(number)@b.test>\r\n\r\n\(text) \(number)\r\n"
    }

    /// Adds messages to the inbox.
    func fill(_ numbers: ClosedRange<Int>) {
        for number in numbers { server.deliver(Self.message(number)) }
    }
}

extension ServerInMemory {
    /// Everything as one session reads it.
    func readOnce() async throws -> FeedReader {
        let session = session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        await session.close()
        return reader
    }
}

let allMail = FeedID("[Gmail]/All Mail")
let gmailInbox = RemoteMailboxID("INBOX")

extension Watched<Int> {
    /// Counts a call, and returns its number, from 1.
    func next() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}
