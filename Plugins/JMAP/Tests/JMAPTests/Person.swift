import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import SigningIn

@testable import JMAPAccounts

/// A person with an account at a `MemoryService`, and the kernel's part.
struct Person: Sendable {
    let service: MemoryService
    let clock = ManualClock()
    let session: JMAPAccountSession

    init(_ service: MemoryService) throws {
        self.service = service
        session = try Self.session(service, clock)
    }

    /// Another session, as after a restart.
    func restarted() throws -> JMAPAccountSession { try Self.session(service, clock) }

    static func session(
        _ service: MemoryService, _ clock: ManualClock, account: String? = nil
    ) throws -> JMAPAccountSession {
        let url = try Self.url("https://\(MemoryService.host)/.well-known/jmap")
        let place = Place(
            address: service.address, name: "Ada", user: service.address, kind: .password, session: url,
            account: account)
        let drawer = CandidateSecrets([Proof.name: Secret(service.password)])
        let wire = Wire(
            network: service, proof: Proof(kind: .password, user: service.address, secrets: drawer),
            clock: clock)
        return JMAPAccountSession(place, wire: wire, log: PluginLog(least: .error) { _, _ in })
    }

    private struct NoURL: Error {}

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw NoURL() }
        return url
    }
}

/// What a kernel would hold, and how it would ask.
struct Mirror: Sendable {
    private(set) var held: [RemoteMessageID: Set<Keyword>] = [:]
    private(set) var arrivals: [RemoteMessageID] = []
    private(set) var failures: [RemoteFailure] = []
    var cursor: SyncCursor?

    mutating func round(_ session: JMAPAccountSession, since: Date? = nil) async throws {
        var hasMore = true
        while hasMore { hasMore = try await step(session, since: since) }
    }

    mutating func step(_ session: JMAPAccountSession, since: Date? = nil) async throws -> Bool {
        let batch = try await session.changes(
            in: JMAPAccountSession.feed, after: cursor, since: since, known: HeldMessages(Array(held.keys)))
        for message in batch.messages {
            held[message.id] = message.keywords
            arrivals.append(message.id)
        }
        for update in batch.updates where held[update.id] != nil { held[update.id] = update.keywords ?? [] }
        for id in batch.removed { held[id] = nil }
        failures += batch.failures
        cursor = batch.cursor
        return batch.hasMore
    }
}

extension MemoryMailbox {
    /// A mailbox with so many messages, a minute apart.
    static func filled(_ count: Int) -> MemoryMailbox {
        var mailbox = MemoryMailbox()
        for number in 0..<count {
            mailbox.add(
                Self.bytes("\(number)"), to: ["m-inbox"],
                receivedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number * 60)))
        }
        return mailbox
    }

    static func bytes(_ name: String) -> Data {
        Data("Subject: \(name)\r\nMessage-ID: <\(name)@example.test>\r\n\r\nHello.\r\n".utf8)
    }
}
