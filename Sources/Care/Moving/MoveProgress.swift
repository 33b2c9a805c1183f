import Digest
import FoundationEssentials
import MailKernelAPI
import Store

/// How far a move has come. It is a document of the new store, committed together with what was moved, so that nothing is
/// moved twice or left out when the program is killed.
struct MoveProgress: Codable, Equatable {
    private static let key = DocumentKey("storage-move", "progress")
    /// Raised when tasks or their order change.
    private static let currentVersion = 1

    private var version = Self.currentVersion
    /// The plugin of the old store.
    let source: String
    /// The states of the old store when the move began: with others, it starts again.
    let states: String
    /// The index in `MoveTask.all`.
    var task = 0
    /// Where its next portion begins; nil for the first one.
    var after: String?
    /// Whether the stores were found equal. The new one may be used from then on.
    var isFinished = false

    init(source: String, states: String) {
        self.source = source
        self.states = states
    }

    /// Whether a move that began as `other` can go on.
    func continues(_ other: MoveProgress) -> Bool {
        version == other.version && source == other.source && states == other.states
    }

    var change: StorageChange {
        get throws { .putDocument(Document(Self.key, value: try JSONValue(encoding: self))) }
    }

    static var removal: StorageChange { .destroyDocument(key) }

    /// Nil if no move to the store has begun.
    static func read(from store: MailStore) async throws(StorageError) -> MoveProgress? {
        try await store.read.document(key)?.read(as: MoveProgress.self)
    }
}

extension MailStore {
    /// Changes whenever a record of the store changes.
    func states(of accounts: [Account]) async throws -> String {
        var texts = [try await read.state(of: .account, in: nil).rawValue]
        let kinds: [DataType] = [.mailbox, .email, .thread, .identity, .submission]
        let documents = DocumentCollections.all.map { DataType.documents($0) }
        for account in accounts.map(\.id).sorted() {
            for type in kinds + documents {
                let state = try await read.state(of: type, in: account)
                texts.append("\(account) \(type.rawValue) \(state)")
            }
        }
        for type in documents {
            let state = try await read.state(of: type, in: nil)
            texts.append("\(type.rawValue) \(state)")
        }
        guard let digest = SHA256.of(Data(texts.joined(separator: "\n").utf8)) else {
            throw MoveProblem.noDigest
        }
        return digest.base64EncodedString()
    }
}
