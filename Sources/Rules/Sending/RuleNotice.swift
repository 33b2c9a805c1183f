import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// A notification that a rule asks for: each message has at most one. It is committed with the rule's other effects, and
/// destroyed when a plugin has shown it or a page is about to, or when it is no news any more.
package struct RuleNotice: Codable, Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "rule-notice"
    /// Older ones are no news.
    private static let longest = 86_400.0
    /// Code points of a text, which may be a sender's.
    private static let longestText = 500

    /// The message that the rule was about.
    package let emailID: Id<Email>
    package let rule: String
    /// What the script says, on one line; nil for the subject.
    package let text: String?
    package let createdAt: Date

    init(about emailID: Id<Email>, rule: String, text: String?, at date: Date) {
        (self.emailID, self.rule, createdAt) = (emailID, rule, date)
        let line = ShownText.line(String((text ?? "").unicodeScalars.prefix(Self.longestText)))
        self.text = line.isEmpty ? nil : line
    }

    package func isNews(at now: Date) -> Bool { now.timeIntervalSince(createdAt) < Self.longest }

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
        try await store.allDocuments(in: collection, accountID: accountID)
            .compactMap { $0.read(as: RuleNotice.self) }
    }

    /// Ends some that were shown, or are no longer to be.
    package static func end(
        _ emailIDs: some Collection<Id<Email>>, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) {
        for some in Array(emailIDs).slices(of: 500) {
            try await store.commit(some.map { .destroyDocument(key($0, in: accountID)) })
        }
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
                // Another kernel may have ended it.
            }
        }
    }

    /// Removes those that were never shown.
    static func removeOld(
        of accountID: Id<Account>, at now: Date, _ store: MailStore
    ) async throws(StorageError) {
        let old = try await store.allDocuments(in: collection, accountID: accountID)
            .filter { document in
                !(document.read(as: RuleNotice.self)?.isNews(at: now) ?? false)
            }
        for some in old.slices(of: 500) { try await store.commit(some.map { .destroyDocument($0.key) }) }
    }
}
