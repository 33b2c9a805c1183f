import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store
import Synchronization

/// The user's saved searches as conditions of rules in an account.
struct RuleSearches: Sendable {
    private let searches: [SavedSearch]
    private let mailboxes: [Mailbox]
    private let places: SearchPlaces
    private let now: Date

    init(in accountID: Id<Account>, at now: Date, _ store: MailStore) async throws(StorageError) {
        searches = try await SavedSearches(store: store).all()
        mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let identities = try await store.read.identities(nil, in: accountID)
        places = SearchPlaces(mailboxes: mailboxes, addresses: identities.map(\.email))
        self.now = now
    }

    /// A search by its id, or by its name, as people write it.
    subscript(name: String) -> SavedSearch? {
        searches.first { $0.id == name } ?? searches.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The judge of a search, with dates as they are now.
    func judge(_ name: String) throws(Unusable) -> MessageJudge {
        guard let search = self[name] else {
            throw Unusable(
                sentence: "This rule uses a saved search that no longer exists: “\(name.prefix(100))”.")
        }
        return try judge(search)
    }

    func judge(_ search: SavedSearch) throws(Unusable) -> MessageJudge {
        let text = SearchText(search.text, at: now)
        if let problem = text.problem {
            throw Unusable(sentence: "The saved search “\(search.name)” cannot be used. \(problem)")
        }
        let filter = text.condition.filter(in: places)
        guard let judge = MessageJudge(filter, mailboxes: mailboxes) else {
            throw Unusable(
                sentence: "The saved search “\(search.name)” uses the \(filter.unjudged ?? "category"), "
                    + "which is not known yet when a message arrives.")
        }
        return judge
    }

    /// Why rules cannot use a search.
    struct Unusable: Error {
        let sentence: String
    }
}

/// The saved searches that a script asks for, ready to judge messages. An account without such a script has none.
struct SearchJudges: Sendable {
    private let judges: [String: Result<MessageJudge, RuleSearches.Unusable>]

    init(
        for script: SieveScript, in accountID: Id<Account>, at now: Date, _ store: MailStore
    ) async throws(StorageError) {
        let names = Set(script.savedSearches.map(\.name))
        guard !names.isEmpty else {
            judges = [:]
            return
        }
        let searches = try await RuleSearches(in: accountID, at: now, store)
        var judges: [String: Result<MessageJudge, RuleSearches.Unusable>] = [:]
        for name in names {
            do throws(RuleSearches.Unusable) {
                judges[name] = .success(try searches.judge(name))
            } catch {
                judges[name] = .failure(error)
            }
        }
        self.judges = judges
    }

    /// Why the script cannot be used; nil if it can.
    var problem: String? {
        judges.sorted { $0.key < $1.key }.lazy.compactMap { _, judge in
            if case .failure(let problem) = judge { problem.sentence } else { nil }
        }.first
    }

    func search(_ name: String, on message: JudgedMessage?) -> SieveSearch {
        switch judges[name] {
        case .success(let judge)?:
            // What is not on this device is not looked at, as in a search here.
            .matches(message.flatMap { judge.verdict(on: $0.candidate) } ?? false)
        case .failure(let problem)?: .unusable(problem.sentence)
        case nil: .unusable("This rule uses a saved search that no longer exists: “\(name.prefix(100))”.")
        }
    }
}

/// A message that rules look at, made ready for searches when the first of them asks.
final class JudgedMessage: Sendable {
    private let email: Email
    private let body: EmailBody
    private let ready = Mutex<MessageJudge.Candidate?>(nil)

    init(_ email: Email, _ body: EmailBody) {
        (self.email, self.body) = (email, body)
    }

    var candidate: MessageJudge.Candidate {
        ready.withLock { ready in
            if let ready { return ready }
            // A search in the store does not know more of it either.
            let made = MessageJudge.Candidate(email, body, isCut: false)
            ready = made
            return made
        }
    }
}
