import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance

@testable import LocalFolders

/// A data folder for one test's accounts, removed with the object.
final class TestAccounts: Sendable {
    let path: String
    let clock = ManualClock()

    init() throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "local-folders-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var provider: LocalProvider {
        LocalProvider(.forTesting(dataFolder: URL(filePath: path), clock: clock))
    }

    func account(_ address: String, isDemo: Bool = false) -> Account {
        Account(
            id: Id("test"), pluginID: "test", address: address, displayName: "Test", addedAt: clock.now,
            settings: ["address": .string(address), "name": "Test", "demo": .bool(isDemo)])
    }

    /// A session as after a start of the program.
    func session(_ address: String = "ada@home.example", isDemo: Bool = false) async throws
        -> any AccountSession
    {
        try await provider.session(for: account(address, isDemo: isDemo), secrets: MemorySecrets())
    }

    func paths(_ address: String = "ada@home.example") throws -> MailPaths {
        guard let address = LocalAddress(address) else { throw AccountError.notFound }
        return LocalAccounts(URL(filePath: path)).paths(of: address)
    }

    /// Names of everything in an account's folder, without those that SQLite makes.
    func files(_ address: String = "ada@home.example") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: try paths(address).folder).sorted()
    }
}

/// What the kernel would hold of an account.
struct Mirror {
    struct Held: Equatable {
        var mailboxIDs: Set<RemoteMailboxID>
        var keywords: Set<Keyword>
        let receivedAt: Date
        let bytes: Data
    }

    private(set) var messages: [RemoteMessageID: Held] = [:]
    private(set) var arrivals: [RemoteMessageID] = []
    private(set) var failures: [RemoteFailure] = []
    private(set) var cursor: SyncCursor?

    /// Reads all changes, and returns how many batches that took.
    @discardableResult
    mutating func round(_ session: any AccountSession) async throws -> Int {
        var batches = 0
        var hasMore = true
        while hasMore {
            let batch = try await session.changes(
                in: FeedID("mail"), after: cursor, since: nil, known: HeldMessages())
            take(batch)
            hasMore = batch.hasMore
            batches += 1
        }
        return batches
    }

    private mutating func take(_ batch: ChangeBatch) {
        for message in batch.messages {
            guard case .whole(let bytes) = message.content else { continue }
            messages[message.id] = Held(
                mailboxIDs: message.mailboxIDs, keywords: message.keywords, receivedAt: message.receivedAt,
                bytes: bytes)
            arrivals.append(message.id)
        }
        for update in batch.updates {
            if let keywords = update.keywords { messages[update.id]?.keywords = keywords }
            if let mailboxIDs = update.mailboxIDs { messages[update.id]?.mailboxIDs = mailboxIDs }
        }
        for id in batch.removed { messages[id] = nil }
        failures += batch.failures
        cursor = batch.cursor
    }

    func inside(_ role: Mailbox.Role) -> [Held] {
        messages.values.filter { $0.mailboxIDs.contains(StandardMailbox.id(role)) }
    }
}

/// Keeps what it is given.
actor Collector: ByteSink {
    private(set) var bytes = Data()

    func write(_ bytes: Data) { self.bytes.append(bytes) }
}

extension AccountSession {
    func mirror() async throws -> Mirror {
        var mirror = Mirror()
        try await mirror.round(self)
        return mirror
    }

    func bytes(_ id: RemoteMessageID) async throws -> Data {
        let collector = Collector()
        try await fetch(id, feed: FeedID("mail"), partID: nil, into: collector)
        return await collector.bytes
    }

    func take(_ messages: [Data], into role: Mailbox.Role = .inbox) async throws -> [ImportOutcome] {
        try await importMessages(
            messages.enumerated().map { number, bytes in
                ImportedMessage(
                    bytes: DataSource(bytes), mailboxIDs: [StandardMailbox.id(role)], keywords: [.seen],
                    receivedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)))
            })
    }
}

func sample(_ name: String, to: String = "grace@home.example") -> Data {
    Data(
        "From: <ada@home.example>\r\nTo: <\(to)>\r\nMessage-ID: <\(name)@home.example>\r\nSubject: \(name)\r\n\r\nHello.\r\n"
            .utf8)
}
