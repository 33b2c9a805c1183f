import CrashingProgram
import FoundationEssentials
import MailKernelAPI

/// Accounts, and mail in them that a reader can tell to be there as a whole.
struct NumberedMail {
    private let provider: any AccountProvider

    init(provider: Provider?) throws {
        guard case .account(let provider) = provider else { throw AccountError.notFound }
        self.provider = provider
    }

    private func session(_ address: String, isDemo: Bool = false) async throws -> any AccountSession {
        let account = Account(
            id: Id("crasher"), pluginID: "crasher", address: address, displayName: "Crasher", addedAt: Date(),
            settings: ["address": .string(address), "name": "Crasher", "demo": .bool(isDemo)])
        return try await provider.session(for: account, secrets: Nothing())
    }

    func rounds() async throws -> NumberedRounds {
        // Made, so that mail can be sent there.
        _ = try await session("there@home.example")
        return NumberedRounds(session: try await session("here@home.example"))
    }

    func openDemo() async throws -> Int {
        try await session("mira@demo.example", isDemo: true).mailboxes().mailboxes.count
    }

    /// In milliseconds.
    func measure(_ count: Int, _ size: Int) async throws -> Int {
        let session = try await session("here@home.example")
        _ = try await session.mailboxes()
        let filler = Data(
            String(repeating: "All work and no play is what a benchmark is. ", count: size / 45).utf8)
        let start = ContinuousClock.now
        let perBatch = max(1, min(1_000, (32 << 20) / max(1, size)))
        for first in stride(from: 0, to: count, by: perBatch) {
            let batch = (first..<min(first + perBatch, count)).map { number in
                ImportedMessage(
                    bytes: DataSource(
                        Data("Message-ID: <\(number)@measure.example>\r\nSubject: \(number)\r\n\r\n".utf8)
                            + filler),
                    mailboxIDs: [RemoteMailboxID("archive")], keywords: [.seen],
                    receivedAt: Date(timeIntervalSince1970: 1_600_000_000 + Double(number)))
            }
            _ = try await session.importMessages(batch)
        }
        let time = (ContinuousClock.now - start).components
        await session.close()
        return Int(time.seconds) * 1_000 + Int(time.attoseconds / 1_000_000_000_000_000)
    }
}

/// What each round does, and how its mail can be told: twenty messages are imported, the draft is
/// replaced, a message is sent to the other account.
struct NumberedRounds {
    static let perRound = 20

    let session: any AccountSession

    static func message(_ kind: String, _ number: Int, to: String = "here@home.example") -> Data {
        let lines = (0..<30).map {
            "Line \($0) of \(kind) \(number), which is there as a whole or not at all."
        }
        let header = [
            "From: <here@home.example>", "To: <\(to)>", "Message-ID: <\(kind).\(number)@home.example>",
            "Subject: \(kind) \(number)", "",
        ]
        return Data((header + lines + ["end of \(kind) \(number)", ""]).joined(separator: "\r\n").utf8)
    }

    func perform(_ number: Int) async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
        let first = number * Self.perRound
        let batch = (first..<first + Self.perRound).map { message in
            ImportedMessage(
                bytes: DataSource(Self.message("import", message)), mailboxIDs: [RemoteMailboxID("inbox")],
                keywords: [.seen], receivedAt: date)
        }
        for outcome in try await session.importMessages(batch) {
            if case .refused(let error) = outcome { throw error }
        }
        let old = try await drafts()
        _ = try await session.append(
            DataSource(Self.message("draft", number)), to: RemoteMailboxID("drafts"),
            keywords: [.draft, .seen], receivedAt: date, replacing: old.last)
        // As the kernel does after a crash: look before sending again.
        guard try await !session.findSent(messageID: "sent.\(number)@home.example") else { return }
        let envelope = Envelope(mailFrom: "here@home.example", rcptTo: ["there@home.example"])
        _ = try await session.submit(
            DataSource(Self.message("sent", number, to: "there@home.example")), envelope: envelope)
    }

    private func drafts() async throws -> [RemoteAddress] {
        var found: [RemoteAddress] = []
        let feed = FeedID("mail")
        // The newest first, and the draft is always among them.
        let batch = try await session.changes(in: feed, after: nil, since: nil, known: NoMessages())
        for message in batch.messages where message.mailboxIDs.contains(RemoteMailboxID("drafts")) {
            found.append(RemoteAddress(feed: feed, id: message.id))
        }
        return found
    }
}

private struct NoMessages: KnownMessages {
    func ids(after: RemoteMessageID?, limit: Int) -> [RemoteMessageID] { [] }
    func contains(_ ids: [RemoteMessageID]) -> Set<RemoteMessageID> { [] }
}
