import FoundationEssentials
import MailKernelAPI
import Store

/// The vacation reply of an account, wherever it is sent from.
package struct AccountVacation: Sendable, Hashable {
    /// When and what is replied.
    package var rule: VacationRule
    /// The reply as HTML, which only services have.
    package var html: String?
    /// The service sends it by itself. Otherwise it is the first rule.
    package let isAtService: Bool

    init(_ rule: VacationRule) { (self.rule, isAtService) = (rule, false) }

    init(_ remote: RemoteVacation) {
        rule = VacationRule()
        rule.isOn = remote.isEnabled
        (rule.from, rule.to, rule.subject) = (remote.from, remote.to, remote.subject)
        rule.text = remote.text ?? ""
        html = remote.html
        isAtService = true
    }

    /// - Throws: if the service is not to be given this.
    func remote() throws(ScriptProblem) -> RemoteVacation {
        guard (html ?? "").utf8.count <= VacationRule.longestText else { throw VacationRule.tooLong }
        try rule.check(hasHTML: html?.isEmpty == false)
        return RemoteVacation(
            isEnabled: rule.isOn, from: rule.from, to: rule.to, subject: rule.subject,
            text: rule.text.isEmpty ? nil : rule.text, html: html)
    }
}

/// What the service's vacation reply was when it was last read: shown while the service cannot be asked.
struct SeenVacation: Codable, Sendable, Hashable {
    static let collection = "service-vacation"
    static let dataType = DataType.documents(collection)

    let reply: RemoteVacation

    static func load(
        _ accountID: Id<Account>, from store: MailStore
    ) async throws(StorageError) -> RemoteVacation? {
        try await store.read.document(key(accountID))?.read(as: SeenVacation.self)?.reply
    }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "reply", accountID: accountID)
    }
}
