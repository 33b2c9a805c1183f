import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

@testable import MicrosoftGraph

/// A person with an account at a `GraphServer`, and the kernel's part.
struct Person: Sendable {
    let server: GraphServer
    let clock = ManualClock()
    let session: GraphAccountSession
    let folder: URL

    init(_ server: GraphServer) throws {
        self.server = server
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        session = Self.session(server, clock, folder)
    }

    /// Another session, as after a restart.
    func restarted() -> GraphAccountSession { Self.session(server, clock, folder) }

    private static func session(
        _ server: GraphServer, _ clock: ManualClock, _ folder: URL
    ) -> GraphAccountSession {
        let place = Place(
            base: URL(string: "https://\(GraphServer.host)/v1.0") ?? URL(filePath: "/"),
            uploadHosts: [GraphServer.uploadHost], sharedMailbox: nil)
        let wire = GraphWire(
            network: server, place: place, clock: clock,
            token: { _ in Secret(server.state.value.login.accessToken) }, challenged: { _ in })
        return GraphAccountSession(
            wire: wire, attempts: Attempts(folder: folder, owner: GraphMailbox.address),
            log: PluginLog(least: .error) { _, _ in })
    }

    static let inbox = FeedID(GraphMailbox.folderID("inbox"))

    func address(_ id: String, _ folder: String = "inbox") -> RemoteAddress {
        RemoteAddress(feed: FeedID(GraphMailbox.folderID(folder)), id: RemoteMessageID(id))
    }
}

/// What a kernel would hold of a folder, and how it would ask.
struct Mirror: Sendable {
    var feed = Person.inbox
    private(set) var held: [RemoteMessageID: Set<Keyword>] = [:]
    /// Every message that came with its content, once for each time.
    private(set) var arrivals: [RemoteMessage] = []
    private(set) var failures: [RemoteFailure] = []
    var cursor: SyncCursor?

    mutating func round(_ session: GraphAccountSession, since: Date? = nil) async throws {
        while try await step(session, since: since) {}
    }

    mutating func step(_ session: GraphAccountSession, since: Date? = nil) async throws -> Bool {
        let known = HeldMessages(Array(held.keys))
        let batch = try await session.changes(in: feed, after: cursor, since: since, known: known)
        for message in batch.messages {
            held[message.id] = message.keywords
            arrivals.append(message)
        }
        for update in batch.updates where held[update.id] != nil { held[update.id] = update.keywords ?? [] }
        for id in batch.removed { held[id] = nil }
        failures += batch.failures
        cursor = batch.cursor
        return batch.hasMore
    }
}

extension GraphMailbox {
    /// An inbox with so many messages, a minute apart.
    static func filled(_ count: Int, size: Int = 0) -> GraphMailbox {
        var mailbox = GraphMailbox()
        let filling = String(repeating: "All work and no play makes Jack a dull boy.\r\n", count: size / 45)
        for number in 0..<count {
            mailbox.add(
                bytes("\(number)", content: "Hello.\r\n" + filling), to: folderID("inbox"),
                received: Date(timeIntervalSince1970: 1_700_000_000 + Double(number * 60)))
        }
        return mailbox
    }

    static func bytes(_ name: String, to: String = "bob@example.org", content: String = "Hello.\r\n") -> Data
    {
        Data(
            ("From: <\(address)>\r\nTo: <\(to)>\r\nSubject: \(name)\r\nMessage-ID: <\(name)@contoso.com>\r\n\r\n"
                + content).utf8)
    }

    /// The ids of the inbox, newest first.
    var inbox: [String] { inFolder(Self.folderID("inbox")).map(\.id) }
}
