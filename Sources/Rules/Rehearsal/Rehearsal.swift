import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store

/// What rules would have done with the mail of an account. Nothing is changed.
package struct Rehearsal: Sendable {
    package static let most = 50_000
    /// Messages to which a rule can be applied with one call.
    package static let mostApplied = 5_000
    private static let slice = 500

    package struct Result: Sendable {
        package var examined = 0
        package var matched = 0
        /// Those that the rules are about, newest first.
        package var emailIDs: [Id<Email>] = []
        /// Those of them that are in the inbox.
        package var inboxIDs: [Id<Email>] = []
        /// Those of them that were not thrown away.
        package var keptIDs: [Id<Email>] = []
    }

    let store: MailStore
    let mail: MailActions
    let ids: IDMaker
    let clock: any HostClock

    /// - Parameter text: a script.
    package func run(_ text: String, in accountID: Id<Account>, limit: Int = most) async throws -> Result {
        try UserScripts.check(text)
        let script = try LoadedScript(text, named: "Rules")
        guard let account = try await store.account(accountID) else {
            throw StorageError.notFound("the account")
        }
        let scene = try await DecisionScene(
            account, script, ids: ids, clock: clock, mail: mail, store: store)
        try scene.checkSearches()
        let own = [Mailbox.Role.sent, .drafts].compactMap { scene.paths.first($0)?.id }
        let query = EmailQuery(
            in: [accountID], filter: .not(own.map { .inMailbox($0) }), limit: min(limit, Self.most))
        let all = try await store.read.queryEmails(query).hits.map(\.emailID)
        let matching = try await Self.found(among: all, scene)
        return Result(
            examined: all.count, matched: matching.count,
            emailIDs: matching.map(\.id), inboxIDs: matching.filter(\.isInInbox).map(\.id),
            keptIDs: matching.filter(\.isKept).map(\.id))
    }

    private typealias Found = (id: Id<Email>, isInInbox: Bool, isKept: Bool)

    /// Those of these that the rules are about, in their order.
    private static func found(among all: [Id<Email>], _ scene: DecisionScene) async throws -> [Found] {
        let isShallow = ScriptNeeds.isShallow(scene.script.source)
        let isInInbox = PastMail.Reach.inbox.test(scene.paths)
        let isKept = PastMail.Reach.everywhere.test(scene.paths)
        var slices = all.slices(of: slice)[...]
        var found: [Int: [Found]] = [:]
        try await withThrowingTaskGroup(of: (Int, [Found]).self) { group in
            func next() {
                guard let some = slices.popFirst() else { return }
                group.addTask {
                    let emails = try await matching(Array(some), scene, isShallow: isShallow)
                    return (some.startIndex, emails.map { ($0.id, isInInbox($0), isKept($0)) })
                }
            }
            // Each waits for the store half of the time.
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount { next() }
            for try await (start, emails) in group {
                found[start] = emails
                next()
            }
        }
        return found.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    private static func matching(
        _ ids: [Id<Email>], _ scene: DecisionScene, isShallow: Bool
    ) async throws -> [Email] {
        let accountID = scene.account.id
        let emails = try await scene.store.read.emails(ids, in: accountID).map(\.email)
        let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
        let host = scene.shallowHost
        var found: [Email] = []
        for email in ids.compactMap({ byID[$0] }) {
            try Task.checkCancellation()
            if isShallow {
                if acts(scene, StoredMessage(email), host) { found.append(email) }
            } else if let body = try await scene.store.read.body(of: email.id, in: accountID) {
                let message = StoredMessage(email, body)
                if acts(scene, message, scene.host(email, body)) { found.append(email) }
            }
        }
        return found
    }

    /// A script that fails on a message would keep it.
    private static func acts(_ scene: DecisionScene, _ message: StoredMessage, _ host: RuleHost) -> Bool {
        guard let verdict = try? scene.script.program.verdict(on: message, host: host) else { return false }
        return MessageDecision.acts(verdict)
    }
}
