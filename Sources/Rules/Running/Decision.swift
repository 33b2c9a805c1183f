import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store

/// What rules decided about some messages, to be committed together.
struct Decision: Sendable {
    var effects: [RuleEffect] = []
    var mails: [AutomaticMail] = []
    var notices: [RuleNotice] = []
    /// What has to be remembered.
    var marks: [StorageChange] = []
    var problems: [RuleProblem] = []
    /// Mailboxes that have to be created before.
    var missing: [String] = []
}

/// What is the same for all messages of an account.
struct DecisionScene: Sendable {
    let account: Account
    let script: LoadedScript
    /// What rules at the service have done; nothing if past mail is to get rules again.
    private let service: ServiceRules
    let paths: MailboxPaths
    let hasLabels: Bool
    /// The user's addresses, in lower case.
    let own: Set<String>
    let canSend: Bool
    /// What is remembered, with what the messages before did.
    var seen: Set<String>
    var replied: Set<DocumentKey> = []
    let now: Date
    /// Mailboxes that could not be created, and why.
    let uncreatable: [String: String]
    let ids: IDMaker
    let store: MailStore
    /// The saved searches that the script asks for.
    let searches: SearchJudges

    init(
        _ account: Account, _ script: LoadedScript, uncreatable: [String: String] = [:], ids: IDMaker,
        clock: any HostClock, mail: MailActions, store: MailStore, service: ServiceRules = ServiceRules()
    ) async throws {
        (self.account, self.script, self.uncreatable, self.ids, self.store) = (
            account, script, uncreatable, ids, store
        )
        now = clock.now
        self.service = service
        paths = MailboxPaths(try await store.read.mailboxes(nil, in: account.id).map(\.mailbox))
        let features = try await mail.features(of: account.id)
        (hasLabels, canSend) = (features.contains(.labels), features.contains(.submission))
        let identities = try await store.read.identities(nil, in: account.id)
        own = Set((identities.map(\.email) + [account.address]).map { $0.lowercased() })
        let remembers = script.program.extensions.contains("duplicate")
        seen = try await remembers ? DuplicateMark.current(at: clock.now, in: account.id, store) : []
        searches = try await SearchJudges(for: script.source, in: account.id, at: now, store)
    }

    /// What a script may ask of which only the fields of the header matter that every email has.
    var shallowHost: RuleHost { RuleHost([], of: account, at: now, paths, seen: seen) }

    func host(_ email: Email, _ body: EmailBody) -> RuleHost {
        var host = RuleHost(body.headers, of: account, at: now, paths, seen: seen)
        (host.searches, host.message) = (searches, JudgedMessage(email, body))
        return host
    }

    /// The script for a message, without what has run on it at the service.
    func script(for email: Email) throws(SieveError) -> LoadedScript {
        let units = service.haveRun(on: email.keywords, at: now)
        return units.isEmpty ? script : try script.without(units)
    }
}

extension DecisionScene {
    /// - Throws: `ScriptProblem` if rules ask for a search that they cannot use, as it would seem to match nothing.
    func checkSearches() throws(ScriptProblem) {
        if let problem = searches.problem { throw ScriptProblem(kind: .invalidSieve, sentence: problem) }
    }
}
