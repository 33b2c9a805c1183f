import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite(
    "Beside another program on the same mailbox",
    .enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"))
struct TwoClientTests {
    private struct Setting {
        let client: PlainClient
        let session: IMAPAccountSession

        init(
            lacks: Set<String> = [], firstBatch: Int = 50, largeMailbox: UInt32 = 10_000
        ) async throws {
            let servers = try await MailServers.shared()
            let address = MailServers.newAddress()
            client = try await PlainClient(servers, address: address)
            var behavior = IMAPBehavior()
            behavior.ignoredCapabilities = lacks
            behavior.firstBatch = firstBatch
            behavior.batch = firstBatch
            behavior.largeMailbox = largeMailbox
            let host = HostServices(
                pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(),
                network: servers.network)
            session = IMAPAccountSession(
                IMAPConfiguration(
                    imap: MailServer("localhost", port: servers.ports.imaps), submission: nil,
                    login: .oauth(user: address) { _ in MailServers.token(for: address) },
                    behavior: behavior),
                host: host)
        }
    }

    private static let inbox = FeedID("INBOX")

    private static func message(_ number: Int) -> Data { Data(ServerInMemory.message(number).utf8) }

    /// FR-SYNC-03: a server that can tells of every mailbox, and not of the inbox alone.
    @Test func whatChangesInAnyMailboxIsToldOf() async throws {
        try await Turnstile.dovecot.pass {
            let setting = try await Setting()
            let (client, session) = (setting.client, setting.session)
            try await client.append([Self.message(1)], to: "Archive")
            _ = try await session.mailboxes()
            let events = session.watch()
            var steps: [() async throws -> Void] = [
                { try await client.append([Self.message(2)], to: "Archive") },
                {
                    try await client.command("SELECT Archive")
                    try await client.command("UID STORE 1 +FLAGS (\\Flagged)")
                },
                { try await client.append([Self.message(3)], to: "INBOX") },
            ].reversed()
            var wanted = ["Archive", "Archive", "INBOX"][...]
            for try await event in events {
                if event == .listening, wanted.count == 3 { try await steps.popLast()?() }
                guard let next = wanted.first, event == .changed(FeedID(next)) else { continue }
                wanted.removeFirst()
                guard let step = steps.popLast() else { break }
                try await step()
            }
            #expect(wanted.isEmpty)
            await session.close()
        }
    }

    /// Issue 5: this program and a plain IMAP client change the same mailbox at once, and both end equal.
    @Test(arguments: [[], ["QRESYNC"], ["QRESYNC", "CONDSTORE", "LIST-STATUS"]] as [Set<String>], 1...3)
    func bothEndEqual(_ lacks: Set<String>, _ seed: UInt64) async throws {
        try await Turnstile.dovecot.pass { try await changeAtOnce(lacks, seed) }
    }

    private func changeAtOnce(_ lacks: Set<String>, _ seed: UInt64) async throws {
        let setting = try await Setting(lacks: lacks, firstBatch: 7)
        let (client, session) = (setting.client, setting.session)
        var random = SeededRandom(seed)
        try await client.append((1...20).map(Self.message), to: "INBOX")
        try await client.command("SELECT INBOX")
        var reader = FeedReader(Self.inbox)
        for round in 1...40 {
            let uid = Int.random(in: 1...(20 + round), using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: try await client.append([Self.message(20 + round)], to: "INBOX", flags: "\\Seen")
            case 2: try await client.command("UID STORE \(uid) +FLAGS (\\Flagged own)")
            case 3: try await client.command("UID STORE \(uid) -FLAGS (\\Seen)")
            case 4:
                try await client.command("UID STORE \(uid) +FLAGS (\\Deleted)")
                try await client.command("UID EXPUNGE \(uid)")
            case 5: try await client.command("UID MOVE \(uid) Archive")
            case 6:
                if let id = reader.held.keys.randomElement(using: &random) {
                    _ = try await session.apply([
                        .setKeywords(
                            [RemoteAddress(feed: Self.inbox, id: id)], add: [.answered], remove: [.seen])
                    ])
                }
            case 7:
                if let id = reader.held.keys.randomElement(using: &random) {
                    _ = try await session.apply([.destroy([RemoteAddress(feed: Self.inbox, id: id)])])
                }
            default:
                if Bool.random(using: &random) { _ = try await session.mailboxes() }
                // At times only one batch, so that changes come into the midst of a round.
                if Bool.random(using: &random) {
                    try await reader.step(session)
                } else {
                    try await reader.round(session)
                }
            }
        }
        _ = try await session.mailboxes()
        try await reader.round(session)
        try await reader.round(session)
        let listing = try await client.command("UID FETCH 1:* (UID FLAGS)")
        var expected: [UInt32: Set<Keyword>] = [:]
        for line in listing.split(separator: "\r\n") {
            guard case .untagged(.fetch(let message))? = try? read(String(line)), let uid = message.uid else {
                continue
            }
            expected[uid] = KeywordFlags.keywords(message.flags ?? [])
        }
        var found: [UInt32: Set<Keyword>] = [:]
        for (id, held) in reader.held { found[try #require(MessageUID(id)?.uid)] = held.keywords }
        #expect(found == expected)
        await session.close()
    }

    /// FR-SYNC-05: a connection that has the mailbox open is not told of what came since until it asks. Changed
    /// on it before that, a message stays as it was, and the server says that all is well.
    @Test func whatCameWhileTheMailboxWasOpenCanBeChanged() async throws {
        try await Turnstile.dovecot.pass {
            let setting = try await Setting()
            let (client, session) = (setting.client, setting.session)
            try await client.append([Self.message(1)], to: "INBOX")
            var reader = FeedReader(Self.inbox)
            try await reader.round(session)
            let validity = try #require(reader.held.keys.first.flatMap { MessageUID($0)?.validity })
            let target = try #require(
                try await session.mailboxes().mailboxes.first { $0.role == .archive }?.id)
            func address(_ uid: UInt32) -> RemoteAddress {
                RemoteAddress(feed: Self.inbox, id: MessageUID(validity: validity, uid: uid).id)
            }
            let changes: [RemoteMutation] = [
                .setKeywords([address(2)], add: [.flagged], remove: []),
                .move([address(3)], from: RemoteMailboxID("INBOX"), to: target),
                .destroy([address(4)]),
            ]
            for (number, change) in changes.enumerated() {
                try await client.append([Self.message(number + 2)], to: "INBOX")
                _ = try await session.apply([change])
            }
            try await client.command("SELECT INBOX")
            #expect(try await client.command("UID SEARCH FLAGGED").contains("* SEARCH 2\r\n"))
            #expect(try await client.command("UID SEARCH ALL").contains("* SEARCH 1 2\r\n"))
            await session.close()
        }
    }

    private static func march(_ day: Int) -> Date {
        Date(timeIntervalSince1970: 1_709_251_200 + Double(day - 1) * 86_400)
    }

    private static func appendOnePerDay(_ client: PlainClient) async throws {
        for day in 1...12 {
            let date = "\"\(day < 10 ? "0" : "")\(day)-Mar-2024 12:00:00 +0000\""
            let message = message(day)
            try await client.command(
                "APPEND INBOX () \(date) {\(message.count)+}\r\n", literals: message)
        }
    }

    /// FR-SYNC-01: the first messages do not wait until a large mailbox has been looked through.
    @Test(arguments: [[], ["QRESYNC", "CONDSTORE"]] as [Set<String>])
    func aLargeMailboxBeginsWithItsNewest(_ lacks: Set<String>) async throws {
        let setting = try await Setting(lacks: lacks, firstBatch: 4, largeMailbox: 10)
        try await Self.appendOnePerDay(setting.client)
        let session = setting.session
        let first = try await session.changes(
            in: Self.inbox, after: nil, since: Self.march(3), known: HeldMessages())
        #expect(first.messages.compactMap { MessageUID($0.id)?.uid } == [12, 11, 10, 9])
        #expect(first.hasMore && first.progress == nil)
        try await setting.client.append([Self.message(13)], to: "INBOX")
        var (cursor, uids, hasMore) = (first.cursor, Set(9...12 as ClosedRange<UInt32>), true)
        while hasMore {
            let batch = try await session.changes(
                in: Self.inbox, after: cursor, since: Self.march(3), known: HeldMessages())
            for message in batch.messages {
                let (isNew, _) = uids.insert(MessageUID(message.id)?.uid ?? 0)
                #expect(isNew)
            }
            #expect(batch.progress?.total ?? 0 >= batch.messages.count)
            (cursor, hasMore) = (batch.cursor, batch.hasMore)
        }
        #expect(uids == Set(3...13))
        await session.close()
    }

    /// FR-SYNC-04: of a mailbox that is read again, known messages are reported as they are now, and only the rest is read.
    @Test(arguments: [[], ["QRESYNC", "CONDSTORE"]] as [Set<String>])
    func aMailboxBegunAnewTellsOfAllThatIsHeld(_ lacks: Set<String>) async throws {
        let setting = try await Setting(lacks: lacks, firstBatch: 4, largeMailbox: 10)
        try await Self.appendOnePerDay(setting.client)
        var reader = FeedReader(Self.inbox)
        try await reader.round(setting.session, since: Self.march(3))
        try await setting.client.command("SELECT INBOX")
        try await setting.client.command("UID STORE 4 +FLAGS (\\Flagged)")
        try await setting.client.command("UID STORE 5 +FLAGS (\\Deleted)")
        try await setting.client.command("UID EXPUNGE 5")
        let first = try #require(reader.held.keys.min { MessageUID($0)?.uid ?? 0 < MessageUID($1)?.uid ?? 0 })
        reader.beginAnew(without: MessageUID(validity: MessageUID(first)?.validity ?? 0, uid: 6).id)
        try await reader.step(setting.session, since: Self.march(3))
        // More comes before the rest is read.
        try await setting.client.append([Self.message(13)], to: "INBOX")
        try await reader.round(setting.session, since: Self.march(3))
        let uids = reader.held.keys.compactMap { MessageUID($0)?.uid }.sorted()
        #expect(uids == [3, 4] + Array(6...13) && reader.repeats == 0)
        let flagged = reader.held.filter { $0.value.keywords.contains(.flagged) }
        #expect(flagged.keys.map { MessageUID($0)?.uid } == [4])
        await setting.session.close()
    }

    /// FR-ACCT-02: a window that grows brings what is older, and nothing twice.
    @Test func aWindowThatGrowsBringsWhatIsOlder() async throws {
        let setting = try await Setting(firstBatch: 4)
        try await Self.appendOnePerDay(setting.client)
        var reader = FeedReader(Self.inbox)
        try await reader.round(setting.session, since: Self.march(9))
        #expect(reader.held.count == 4)
        try await reader.round(setting.session, since: Self.march(9))
        try await reader.round(setting.session, since: Self.march(3))
        #expect(reader.held.count == 10 && reader.repeats == 0)
        // Narrower again, with what the kernel forgot; then all.
        try await reader.round(setting.session, since: Self.march(11))
        try await reader.round(setting.session, since: nil)
        #expect(reader.held.count == 12 && reader.repeats == 0)
        await setting.session.close()
    }

    /// The kernel asks for a batch before it has stored the one before: what goes meanwhile is told.
    @Test(arguments: [[], ["QRESYNC"], ["QRESYNC", "CONDSTORE"]] as [Set<String>])
    func whatGoesBeforeItIsStoredIsTold(_ lacks: Set<String>) async throws {
        let setting = try await Setting(lacks: lacks, firstBatch: 4)
        try await setting.client.append((1...8).map(Self.message), to: "INBOX")
        try await setting.client.command("SELECT INBOX")
        let first = try await setting.session.changes(
            in: Self.inbox, after: nil, since: nil, known: HeldMessages())
        #expect(first.messages.count == 4)
        try await setting.client.command("UID STORE 8 +FLAGS (\\Deleted)")
        try await setting.client.command("UID EXPUNGE 8")
        try await setting.client.append([Self.message(9)], to: "INBOX")
        var removed: [RemoteMessageID] = []
        var cursor = first.cursor
        var hasMore = true
        var rounds = 0
        while hasMore || rounds < 2 {
            let batch = try await setting.session.changes(
                in: Self.inbox, after: cursor, since: nil, known: HeldMessages())
            removed += batch.removed
            cursor = batch.cursor
            hasMore = batch.hasMore
            if !hasMore { rounds += 1 }
        }
        #expect(removed.contains { MessageUID($0)?.uid == 8 })
        await setting.session.close()
    }

    /// What this program put there itself can be taken away before it is ever read (FR-SYNC-05).
    @Test(arguments: [[], ["QRESYNC"], ["QRESYNC", "CONDSTORE"]] as [Set<String>])
    func whatWasPutThereAndIsGoneBeforeTheNextLookIsTold(_ lacks: Set<String>) async throws {
        let setting = try await Setting(lacks: lacks)
        try await setting.client.append([Self.message(1)], to: "INBOX")
        let first = try await setting.session.changes(
            in: Self.inbox, after: nil, since: nil, known: HeldMessages())
        var held = first.messages.map(\.id)
        for number in 2...3 {
            let outcome = try await setting.session.append(
                DataSource(Self.message(number)), to: RemoteMailboxID("INBOX"), keywords: [],
                receivedAt: Date(),
                replacing: nil)
            held.append(try #require(outcome.address).id)
        }
        try await setting.client.command("SELECT INBOX")
        try await setting.client.command("UID STORE 2 +FLAGS (\\Deleted)")
        try await setting.client.command("UID EXPUNGE 2")
        let second = try await setting.session.changes(
            in: Self.inbox, after: first.cursor, since: nil, known: HeldMessages(held))
        #expect(second.removed == [held[1]])
        let third = try await setting.session.changes(
            in: Self.inbox, after: second.cursor, since: nil, known: HeldMessages([held[0], held[2]]))
        #expect(third.removed == [])
        await setting.session.close()
    }

    /// FR-SYNC-01: text and HTML are read, attachments only described, and fetched when asked for.
    @Test func ofLargeMailTheTextIsReadAndPartsAreFetched() async throws {
        let setting = try await Setting()
        let attachment = String(repeating: "AAECAwQF", count: 40_000)
        let message =
            "From: <a@b>\r\nSubject: parts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
            + "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nCaf=C3=A9\r\n--b\r\n"
            + "Content-Type: application/pdf; name=\"a.pdf\"\r\nContent-Disposition: attachment; filename=\"a.pdf\"\r\n"
            + "Content-Transfer-Encoding: base64\r\n\r\n\(attachment)\r\n--b--\r\n"
        try await setting.client.append([Data(message.utf8)], to: "INBOX")
        let batch = try await setting.session.changes(
            in: Self.inbox, after: nil, since: nil, known: HeldMessages())
        let read = try #require(batch.messages.first)
        guard case .parts(let header, let root) = read.content else {
            Issue.record("it came as a whole")
            return
        }
        #expect(String(decoding: header, as: UTF8.self).contains("Subject: parts"))
        #expect(root.subParts.map(\.type) == ["text/plain", "application/pdf"])
        #expect(root.subParts[0].bytes == Data("Caf=C3=A9".utf8) && root.subParts[1].bytes == nil)
        #expect(
            root.subParts[1].dispositionParameters["filename"] == "a.pdf" && !root.subParts[0].isTruncated)
        let sink = Collected()
        try await setting.session.fetch(read.id, feed: Self.inbox, partID: "2", into: sink)
        #expect(await sink.bytes.count == 240_000)
        let text = Collected()
        try await setting.session.fetch(read.id, feed: Self.inbox, partID: "1", into: text)
        #expect(await text.bytes == Data("Café".utf8))
        await setting.session.close()
    }

    /// FR-SYNC-01: up to 10 MB of text, beyond which it is cut.
    @Test func aTextThatIsTooLongIsCut() async throws {
        let setting = try await Setting()
        let line = String(repeating: "x", count: 70) + "\r\n"
        let message = "Subject: long\r\n\r\n" + String(repeating: line, count: 160_000)
        try await setting.client.append([Data(message.utf8)], to: "INBOX")
        let batch = try await setting.session.changes(
            in: Self.inbox, after: nil, since: nil, known: HeldMessages())
        guard case .parts(_, let root)? = batch.messages.first?.content else {
            Issue.record("it came as a whole")
            return
        }
        #expect(root.isTruncated && root.bytes?.count == 10 * 1_024 * 1_024 && root.size > 11_000_000)
        await setting.session.close()
    }

    /// FR-ACCT-04: XOAUTH2, and the error continuation of a real server.
    @Test func aTokenThatIsRefusedAsksToSignIn() async throws {
        let servers = try await MailServers.shared()
        let provider = DovecotProvider(
            servers: servers,
            host: HostServices(
                pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(),
                network: servers.network))
        let session = IMAPAccountSession(
            provider.configuration(MailServers.newAddress()) { _ in Secret("stale") }, host: provider.host)
        await #expect(throws: AccountError.authenticationRequired(reason: "Authentication failed.")) {
            try await session.mailboxes()
        }
        await session.close()
    }
}

private actor Collected: ByteSink {
    private(set) var bytes = Data()

    func write(_ bytes: Data) { self.bytes += bytes }
}
