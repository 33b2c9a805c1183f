import FoundationEssentials
import MailKernelAPI

/// What the user has sorted by hand: which email, from whom, into which category.
struct Correction: Codable, Sendable, Hashable {
    var emailID: Id<Email>
    /// In lower case.
    var sender: String
    var category: EmailCategory
    var at: Date
}

/// The corrections of one account, and what they say about mail that comes.
struct Corrections: Sendable {
    private static let collection = "categoryCorrection"
    /// Beyond, the oldest go.
    private static let most = 2000

    /// Newest first.
    private(set) var all: [Correction] = []

    static func load(_ accountID: Id<Account>, from store: MailStore) async throws(StorageError)
        -> Corrections
    {
        let documents = try await store.allDocuments(in: collection, accountID: accountID)
        let all = documents.compactMap { try? $0.value.decoded(as: Correction.self) }
        return Corrections(all: all.sorted { ($1.at, $0.emailID) < ($0.at, $1.emailID) })
    }

    /// Adds one, and says what the store has to keep and to forget.
    mutating func add(_ correction: Correction, in accountID: Id<Account>) throws -> [StorageChange] {
        all.removeAll { $0.emailID == correction.emailID }
        all.insert(correction, at: 0)
        var changes: [StorageChange] = [
            .putDocument(
                Document(
                    Self.key(correction.emailID, accountID), value: try JSONValue(encoding: correction)))
        ]
        for old in all.dropFirst(Self.most) {
            changes.append(.destroyDocument(Self.key(old.emailID, accountID)))
        }
        all = Array(all.prefix(Self.most))
        return changes
    }

    /// The category of all mail from a sender, if the user has only ever named one.
    func category(of sender: String) -> EmailCategory? {
        let named = Set(all.filter { $0.sender == sender }.map(\.category))
        return named.count == 1 ? named.first : nil
    }

    /// The one named last, for a sender of several kinds of mail where nothing else tells them apart.
    func lastCategory(of sender: String) -> EmailCategory? {
        all.first { $0.sender == sender }?.category
    }

    private static func key(_ id: Id<Email>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}
