import FoundationEssentials
import MailKernelAPI
import Store
import Sync

/// Why an account is inactive, and since when: kept with it until it has signed in again.
struct SignInProblem: Codable, Sendable, Hashable {
    private static let collection = "sign-in-problem"

    var sentence: String
    var since: Date

    /// What the account is doing because of it: nothing.
    var status: SyncStatus {
        var status = SyncStatus(.failed, problem: sentence)
        status.remedy = .signIn
        return status
    }

    static func load(_ accountID: Id<Account>, from store: MailStore) async throws(StorageError)
        -> SignInProblem?
    {
        let document = try await store.read.document(key(accountID))
        return document?.read(as: SignInProblem.self)
    }

    /// What makes it known. The user finds a notice, too.
    func changes(for account: Account) throws -> [StorageChange] {
        let notice = Notice(
            account: account,
            text: "Sign in to \(account.address) again. Until then, mail is neither received nor sent. "
                + sentence, at: since)
        return [
            .putDocument(Document(Self.key(account.id), value: try JSONValue(encoding: self))),
            try notice.change(id: Self.noticeID(account.id)),
        ]
    }

    static func solved(_ accountID: Id<Account>) -> [StorageChange] {
        [.destroyDocument(key(accountID)), .destroyDocument(Notices.key(noticeID(accountID)))]
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "problem", accountID: accountID)
    }

    private static func noticeID(_ accountID: Id<Account>) -> String { "sign-in-\(accountID.rawValue)" }
}
