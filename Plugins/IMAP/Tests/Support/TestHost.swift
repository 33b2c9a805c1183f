import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// Secrets for one account, which never change.
public struct FixedSecrets: SecretStore {
    private let secrets: [String: Secret]

    public init(_ secrets: [String: Secret] = [:]) { self.secrets = secrets }

    public func secret(named name: String) -> Secret? { secrets[name] }
    public func store(_ secret: Secret, named name: String) throws(SecretError) {
        throw .unavailable(reason: "nothing is stored here")
    }
    public func removeSecret(named name: String) {}
}

/// What a kernel would hold of a feed, and how it would ask.
public struct FeedReader: Sendable {
    public struct Held: Sendable, Equatable {
        public var mailboxIDs: Set<RemoteMailboxID>
        public var keywords: Set<Keyword>
        public let size: Int
        public let text: String
    }

    public let feed: FeedID
    public private(set) var held: [RemoteMessageID: Held] = [:]
    public private(set) var cursor: SyncCursor?
    public private(set) var failures: [RemoteFailure] = []
    /// How often a message came that was there already.
    public private(set) var repeats = 0

    public init(_ feed: FeedID) { self.feed = feed }

    public var texts: [String] { held.sorted { $0.key < $1.key }.map(\.value.text) }

    /// The next batch, taken.
    @discardableResult
    public mutating func step(_ session: any AccountSession, since: Date? = nil) async throws -> ChangeBatch {
        let batch = try await session.changes(
            in: feed, after: cursor, since: since, known: HeldMessages(Array(held.keys)))
        for message in batch.messages {
            if held[message.id] != nil { repeats += 1 }
            held[message.id] = Held(
                mailboxIDs: message.mailboxIDs, keywords: message.keywords, size: message.size,
                text: Self.text(message.content))
        }
        for update in batch.updates {
            if let keywords = update.keywords { held[update.id]?.keywords = keywords }
            if let mailboxIDs = update.mailboxIDs { held[update.id]?.mailboxIDs = mailboxIDs }
        }
        for id in batch.removed { held[id] = nil }
        failures += batch.failures
        cursor = batch.cursor
        return batch
    }

    /// How far it was read does not count any more, as after a change of the window; and this one was lost.
    public mutating func beginAnew(without lost: RemoteMessageID) {
        cursor = nil
        held[lost] = nil
    }

    /// A whole round; begun again where the cursor has expired, as the kernel does.
    public mutating func round(_ session: any AccountSession, since: Date? = nil) async throws {
        while true {
            do {
                guard try await step(session, since: since).hasMore else { return }
            } catch AccountError.cursorExpired {
                cursor = nil
            }
        }
    }

    private static func text(_ content: RemoteMessage.Content) -> String {
        switch content {
        case .whole(let bytes): String(decoding: bytes, as: UTF8.self)
        case .parsed: ""
        case .parts(let header, let structure):
            String(decoding: header + (structure.bytes ?? Data()), as: UTF8.self)
        }
    }
}
