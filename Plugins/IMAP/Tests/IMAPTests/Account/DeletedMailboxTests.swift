import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite(
    "Mail of a deleted folder goes to Trash",
    .enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"))
struct DeletedMailboxTests {
    /// ORG-02: also mail older than the sync window, which the kernel does not know; without MOVE as well.
    @Test(arguments: [[], ["MOVE", "UIDPLUS"]] as [Set<String>])
    func allOfIt(_ lacks: Set<String>) async throws {
        try await Turnstile.dovecot.pass {
            let (client, session) = try await Self.clients(lacks)
            try await client.command("CREATE Receipts")
            try await client.append((1...3).map(Self.message), to: "Receipts")
            try await client.append([Self.message(4)], to: "Trash")
            let listing = try await session.mailboxes()
            let receipts = try #require(listing.mailboxes.first { $0.name == "Receipts" })
            let outcomes = try await session.apply([.deleteMailbox(receipts.id)])
            #expect(outcomes == [.done(newIDs: [:], mailbox: nil)])
            #expect(try await !session.mailboxes().mailboxes.contains { $0.name == "Receipts" })
            #expect(try await Self.count("Trash", client) == 4)
            // In Trash, a folder is deleted with its mail.
            let trash = try #require(listing.mailboxes.first { $0.role == .trash })
            let made = try await session.apply([.createMailbox(name: "Old", parent: trash.id)])
            guard case .done(_, let old?) = try #require(made.first) else {
                Issue.record("no folder was created: \(made)")
                return
            }
            try await client.append([Self.message(5)], to: "Trash/Old")
            #expect(try await session.apply([.deleteMailbox(old)]) == [.done(newIDs: [:], mailbox: nil)])
            #expect(try await Self.count("Trash", client) == 4)
            await session.close()
        }
    }

    private static func message(_ number: Int) -> Data { Data(ServerInMemory.message(number).utf8) }

    private static func count(_ mailbox: String, _ client: PlainClient) async throws -> Int {
        try await client.command("SELECT \(mailbox)")
        let answer = try await client.command("UID SEARCH ALL").split(separator: "\r\n").first ?? ""
        return answer.split(separator: " ").dropFirst(2).count
    }

    private static func clients(_ lacks: Set<String>) async throws -> (PlainClient, IMAPAccountSession) {
        let servers = try await MailServers.shared()
        let address = MailServers.newAddress()
        var behavior = IMAPBehavior()
        behavior.ignoredCapabilities = lacks
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(),
            network: servers.network)
        let session = IMAPAccountSession(
            IMAPConfiguration(
                imap: MailServer("localhost", port: servers.ports.imaps), submission: nil,
                login: .oauth(user: address) { _ in MailServers.token(for: address) }, behavior: behavior),
            host: host)
        return (try await PlainClient(servers, address: address), session)
    }
}
