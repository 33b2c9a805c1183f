import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

/// FR-SYNC-10: what is archived is in an archive at the service too, and one that has none is given one.
@Suite("Archiving where there is no archive") struct ArchiveTests {
    private static let inbox = FeedID("INBOX")

    private func archive(_ session: IMAPAccountSession) async throws -> (RemoteAddress, MutationOutcome) {
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        let one = RemoteAddress(feed: Self.inbox, id: try #require(reader.held.keys.min()))
        let outcomes = try await session.apply([.remove([one], from: RemoteMailboxID("INBOX"))])
        return (one, try #require(outcomes.first))
    }

    /// Whatever the server says to making it: what counts is that it is there.
    @Test(arguments: ["OK Done", "NO [ALREADYEXISTS] It is there", "NO Mailbox exists"])
    func itIsMadeWhereTheUsersMailboxesAre(_ answer: String) async throws {
        let commands = Watched<[String]>([])
        let memory = ServerInMemory.with(ServerInMemory.folders) { settings in
            settings.answersWithArguments = { verb, tag, arguments in
                commands.withLock { $0.append("\(verb) \(arguments)") }
                let isMade = commands.value.contains { $0.hasPrefix("CREATE") }
                switch verb {
                case "NAMESPACE":
                    return "* NAMESPACE ((\"INBOX.\" \".\")) NIL NIL\r\n\(tag) OK Done\r\n"
                case "LIST":
                    return "* LIST () \".\" INBOX\r\n* LIST () \".\" INBOX.Work\r\n"
                        + (isMade ? "* LIST () \".\" INBOX.Archive\r\n" : "") + "\(tag) OK Done\r\n"
                case "CREATE": return "\(tag) \(answer)\r\n"
                default: return nil
                }
            }
        }
        memory.server.change { $0.setLabels([], adds: true, ["INBOX.Archive"]) }
        memory.fill(1...2)
        let session = memory.session()
        let (one, outcome) = try await archive(session)
        guard case .done(let newIDs, nil) = outcome else { throw Unexpected(outcome: outcome) }
        #expect(newIDs[one]?.feed == FeedID("INBOX.Archive"))
        #expect(memory.server.texts(in: "INBOX.Archive") == [ServerInMemory.message(1)])
        let made = commands.value.filter { $0.hasPrefix("CREATE") || $0.hasPrefix("SUBSCRIBE") }
        #expect(made == ["CREATE INBOX.Archive", "SUBSCRIBE INBOX.Archive"])
        // From now on it is known.
        let (two, again) = try await archive(session)
        guard case .done(let more, nil) = again else { throw Unexpected(outcome: again) }
        #expect(more[two]?.feed == FeedID("INBOX.Archive"))
        #expect(commands.value.filter { $0.hasPrefix("CREATE") }.count == 1)
        #expect(
            try await session.mailboxes().mailboxes.first { $0.role == .archive }?.id
                == RemoteMailboxID("INBOX.Archive"))
        await session.close()
    }

    @Test func whereItCannotBeMadeNothingIsTakenOut() async throws {
        let memory = ServerInMemory.answering(capabilities: ServerInMemory.folders) { verb, tag, _ in
            verb == "CREATE" ? "\(tag) NO [NOPERM] Not here\r\n" : nil
        }
        memory.server.change { $0.hidden = [GmailStore.allMail] }
        memory.fill(1...1)
        let session = memory.session()
        #expect(try await archive(session).1 == .failed(.refused("Not here")))
        #expect(memory.server.texts(in: "INBOX").count == 1)
        await session.close()
    }

    /// Gmail can hide All Mail from mail programs. What has lost its only label there would be seen nowhere.
    @Test func whereAllMailIsHiddenItIsALabel() async throws {
        let memory = ServerInMemory()
        memory.server.change { $0.hidden = [GmailStore.allMail] }
        memory.fill(1...1)
        let session = memory.session()
        let (one, outcome) = try await archive(session)
        guard case .done(let newIDs, nil) = outcome else { throw Unexpected(outcome: outcome) }
        #expect(newIDs[one]?.feed == FeedID("Archive"))
        #expect(memory.server.texts(in: "INBOX").isEmpty && memory.server.texts(in: "Archive").count == 1)
        // Shown again, it is a label like others, and the archive is what has none.
        memory.server.change { $0.hidden = [] }
        let listing = try await session.mailboxes()
        #expect(listing.mailboxes.filter { $0.role == .archive }.map(\.id) == [MailboxDirectory.archiveID])
        #expect(listing.mailboxes.contains { $0.id == RemoteMailboxID("Archive") && $0.role == nil })
        await session.close()
    }

    /// A label that another mail program made is not the one that Gmail sets on what was sent.
    @Test func noLabelIsTakenForOneOfGmailsOwn() throws {
        let listed =
            ["INBOX", "Sent Messages", "Archive"].map {
                ListedMailbox(attributes: [], delimiter: "/", name: MailboxName(wire: $0))
            } + [ListedMailbox(attributes: ["\\all"], delimiter: "/", name: MailboxName(wire: "[Gmail]/All"))]
        let directory = MailboxDirectory(listed, prefix: "", hasLabels: true, isUTF8: false)
        let sent = try #require(directory[MailboxName(wire: "Sent Messages")])
        #expect(sent.role == nil && directory.label(of: sent) == "\"Sent Messages\"")
        #expect(directory[role: .archive] == nil)
    }

    @Test(.enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"))
    func onDovecotItIsMadeOnceAndSubscribed() async throws {
        try await Turnstile.dovecot.pass {
            let servers = try await MailServers.withoutArchive()
            let address = MailServers.newAddress()
            let client = try await PlainClient(servers, address: address)
            try await client.append((1...2).map { Data(ServerInMemory.message($0).utf8) }, to: "INBOX")
            let host = HostServices(
                pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(),
                network: servers.network)
            let provider = DovecotProvider(servers: servers, host: host)
            let session = IMAPAccountSession(
                provider.configuration(address) { _ in MailServers.token(for: address) }, host: host)
            #expect(try await session.mailboxes().mailboxes.allSatisfy { $0.role != .archive })
            for _ in 1...2 {
                let (one, outcome) = try await archive(session)
                guard case .done(let newIDs, nil) = outcome else { throw Unexpected(outcome: outcome) }
                #expect(newIDs[one]?.feed == FeedID("Archive"))
                var archived = FeedReader(FeedID("Archive"))
                try await archived.round(session)
                #expect(newIDs[one].map { archived.held[$0.id] != nil } == true)
            }
            #expect(try await client.command("LSUB \"\" \"*\"").contains("Archive"))
            try await client.command("SELECT Archive")
            #expect(try await client.command("UID SEARCH ALL").contains("* SEARCH 1 2\r\n"))
            await session.close()
        }
    }

    private struct Unexpected: Error { let outcome: MutationOutcome }
}
