import FoundationEssentials
import Glibc
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization

/// `imap-bench [COUNT]`: reads a mailbox of this many messages from Dovecot over TLS, beside one `FETCH` of
/// everything by a client that keeps nothing.
@main enum Bench {
    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        let runs = 3
        let servers = try await MailServers.shared()
        let address = MailServers.newAddress()
        let client = try await PlainClient(servers, address: address)
        try await client.append(MadeMail(count: count), to: "INBOX")
        let bytes = MadeMail(count: count).reduce(0) { $0 + $1.count }
        print("\(count) messages, \(bytes / 1_000_000) MB")
        try await client.command("SELECT INBOX")

        for run in 1...runs {
            let floor = try await seconds {
                _ = try await client.count("UID FETCH 1:* (UID FLAGS BODY.PEEK[])")
            }
            let reader = Reader(servers, address)
            let first = try await seconds { try await reader.round() }
            let full = try await seconds { while await reader.hasMore { try await reader.round() } }
            let nothing = try await seconds { try await reader.look() }
            let again = try await seconds { try await reader.look() }
            try await client.append(MadeMail(count: 10, seed: UInt64(run + 7)), to: "INBOX")
            try await client.command("UID STORE 1:100 \(run.isMultiple(of: 2) ? "-" : "+")FLAGS (\\Flagged)")
            let few = try await seconds { try await reader.look() }
            let messages = await reader.messages
            print(
                """
                run \(run): one FETCH of everything \(text(floor)); full read \(text(first + full)) \
                (\(ratio(first + full, floor))), its first batch \(text(first)), \(messages) messages; \
                nothing changed \(text(nothing)) and \(text(again)); 10 new and 100 flags \(text(few)); \
                at most \(peakMemory()) MB
                """)
            await reader.close()
        }
    }

    private static func seconds(_ body: sending () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        let took = ContinuousClock.now - start
        return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
    }

    private static func text(_ seconds: Double) -> String {
        "\((seconds * 10_000).rounded() / 10) ms"
    }

    private static func ratio(_ one: Double, _ other: Double) -> String {
        "\((one / other * 100).rounded() / 100)×"
    }

    private static func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1_024
    }
}

/// Reads the inbox as the kernel would, and keeps only the ids.
private actor Reader {
    private let session: IMAPAccountSession
    private let known = Known()
    private var cursor: SyncCursor?
    private(set) var hasMore = true
    private(set) var messages = 0

    init(_ servers: MailServers, _ address: String) {
        let host = HostServices(
            pluginID: "bench", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: RealClock(),
            network: servers.network)
        session = IMAPAccountSession(
            IMAPConfiguration(
                imap: MailServer("localhost", port: servers.ports.imaps), submission: nil,
                login: .oauth(user: address) { _ throws(AccountError) in MailServers.token(for: address) }),
            host: host)
    }

    /// The next batch.
    func round() async throws {
        let batch = try await session.changes(
            in: FeedID("INBOX"), after: cursor, since: nil, known: known)
        cursor = batch.cursor
        hasMore = batch.hasMore
        messages += batch.messages.count
        known.add(batch.messages.map(\.id))
    }

    /// A round as the kernel makes it: the mailboxes, then each feed.
    func look() async throws {
        for feed in try await session.mailboxes().feeds where feed.id.rawValue == "INBOX" {
            hasMore = true
            while hasMore { try await round() }
        }
    }

    func close() async { await session.close() }
}

private final class Known: KnownMessages {
    private let held = Mutex<Set<RemoteMessageID>>([])

    func add(_ ids: [RemoteMessageID]) { held.withLock { $0.formUnion(ids) } }

    func ids(after: RemoteMessageID?, limit: Int) -> [RemoteMessageID] {
        held.withLock { held in
            Array(held.sorted().drop { id in after.map { id <= $0 } ?? false }.prefix(limit))
        }
    }

    func contains(_ ids: [RemoteMessageID]) -> Set<RemoteMessageID> { held.withLock { $0.intersection(ids) } }
}
