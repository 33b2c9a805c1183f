import FoundationEssentials
import MailKernelAPI
import Store

/// A manual correction: the email, its sender and the category.
struct Correction: Codable, Sendable, Hashable {
    var emailID: Id<Email>
    /// In lower case.
    var sender: String
    var category: EmailCategory
    var at: Date
}

/// A model's result for an email that the user has sorted.
struct LearnedMail: Sendable, Hashable {
    var sender: String
    var category: EmailCategory
    var vector: [Float]
}

/// The corrections of one account, and their meaning for new mail.
struct Corrections: Sendable {
    private static let collection = "categoryCorrection"
    /// Beyond, the oldest go.
    private static let most = 2000
    /// An earlier correction counts only if its mail is more similar by at least this much.
    private static let clearly: Float = 0.05

    /// Newest first.
    private(set) var all: [Correction] = []

    static func load(_ accountID: Id<Account>, from store: MailStore) async throws(StorageError)
        -> Corrections
    {
        let documents = try await store.allDocuments(in: collection, accountID: accountID)
        let all = documents.compactMap { $0.read(as: Correction.self) }
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

    /// The user's category for mail from a sender: the latest one, unless an earlier correction was for
    /// clearly more similar mail.
    ///
    /// - Parameters:
    ///   - vector: the model's vector for the mail; empty if there is none.
    ///   - learned: the vectors of the corrected mail.
    func category(of sender: String, like vector: [Float], among learned: [LearnedMail]) -> EmailCategory? {
        guard !sender.isEmpty, let last = all.first(where: { $0.sender == sender })?.category else {
            return nil
        }
        let own = learned.filter { $0.sender == sender && $0.vector.count == vector.count && !vector.isEmpty }
            .map { (category: $0.category, likeness: Vectors.dot($0.vector, vector)) }
        let newest = own.filter { $0.category == last }.map(\.likeness).max()
        guard let newest, let nearest = own.max(by: { $0.likeness < $1.likeness }),
            nearest.likeness > newest + Self.clearly
        else { return last }
        return nearest.category
    }

    private static func key(_ id: Id<Email>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}
