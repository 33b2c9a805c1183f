import FoundationEssentials
import MailKernelAPI
import Store

/// A notification that a rule asks for. It is committed with the rule's other effects, and destroyed when it has been
/// shown: each message has one, whenever the program ends.
package struct RuleNotice: Codable, Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "rule-notice"
    /// Older ones are no news.
    package static let longest = 86_400.0
    /// Waiting ones that are read at once.
    private static let most = 500
    /// Characters of a text.
    private static let longestText = 500

    /// The message that the rule was about.
    package let emailID: Id<Email>
    package let rule: String
    /// What the script says; nil for the subject.
    package let text: String?
    package let createdAt: Date

    init(about emailID: Id<Email>, rule: String, text: String?, at date: Date) {
        (self.emailID, self.rule, createdAt) = (emailID, rule, date)
        self.text = text.map { String($0.prefix(Self.longestText)) }
    }

    package static func key(_ emailID: Id<Email>, in accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, emailID.rawValue, accountID: accountID)
    }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(emailID, in: accountID), value: try JSONValue(encoding: self)))
    }

    /// Those that have not been shown, by the ids of their messages.
    package static func waiting(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [RuleNotice] {
        try await store.read.documents(in: collection, accountID: accountID, after: nil, limit: most)
            .compactMap { $0.read(as: RuleNotice.self) }
    }

    /// Ends some that were shown, or are no longer to be.
    package static func end(
        _ emailIDs: some Collection<Id<Email>>, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) {
        guard !emailIDs.isEmpty else { return }
        try await store.commit(emailIDs.map { .destroyDocument(key($0, in: accountID)) })
    }

    /// Ends one unless it has ended.
    ///
    /// - Returns: whether it was there.
    package static func take(
        _ emailID: Id<Email>, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Bool {
        while true {
            let state = try await store.read.state(of: dataType, in: accountID)
            guard try await store.read.document(key(emailID, in: accountID)) != nil else { return false }
            do {
                try await store.commit(
                    [.destroyDocument(key(emailID, in: accountID))],
                    preconditions: [.init(dataType, in: accountID, is: state)])
                return true
            } catch StorageError.stateMismatch {
                // Another window may have taken it.
            }
        }
    }

    /// Removes those that were never shown.
    static func removeOld(
        of accountID: Id<Account>, at now: Date, _ store: MailStore
    ) async throws(StorageError) {
        let old = try await store.allDocuments(in: collection, accountID: accountID)
            .filter { document in
                let date = document.read(as: RuleNotice.self)?.createdAt ?? .distantPast
                return now.timeIntervalSince(date) > longest
            }
        for some in old.slices(of: 500) { try await store.commit(some.map { .destroyDocument($0.key) }) }
    }
}
