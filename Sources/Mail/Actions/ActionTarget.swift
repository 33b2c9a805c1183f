import MailKernelAPI
import Store

/// The mail that an action changes.
package enum ActionTarget: Sendable, Hashable {
    /// These messages, without the rest of their conversations.
    case emails([Id<Email>])
    /// Conversations, as shown in a mailbox, or in a search if it is nil.
    case threads([Id<EmailThread>], in: Id<Mailbox>?)
    /// The conversations of all matching messages, as shown in a mailbox or in a search.
    case matches(EmailFilter, in: Id<Mailbox>?)
}

/// The target of one step, small enough for one commit.
struct StepTarget: Codable, Sendable, Hashable {
    enum Units: Codable, Sendable, Hashable {
        case emails([Id<Email>])
        case threads([Id<EmailThread>])
    }

    var units: Units
    var mailboxID: Id<Mailbox>?

    /// The first step is small, so that it is done soon. Each of the next is twice as large, because one commit costs
    /// the same for many messages; the largest keeps other changes waiting no longer than a moment.
    static let size = 100
    static let largest = 800

    static func steps(_ threads: [Id<EmailThread>], in mailboxID: Id<Mailbox>?) -> [StepTarget] {
        slices(threads).map { StepTarget(units: .threads($0), mailboxID: mailboxID) }
    }

    static func steps(_ emails: [Id<Email>]) -> [StepTarget] {
        slices(emails).map { StepTarget(units: .emails($0), mailboxID: nil) }
    }

    private static func slices<Element>(_ all: [Element]) -> [[Element]] {
        var (rest, count) = (all[...], size)
        var slices: [[Element]] = []
        while !rest.isEmpty {
            slices.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            count = min(2 * count, largest)
        }
        return slices
    }

    var count: Int {
        switch units {
        case .emails(let ids): ids.count
        case .threads(let ids): ids.count
        }
    }
}

extension ActionTarget {
    /// The current target, in steps. It does not include mail that arrives later.
    func steps(in accountID: Id<Account>, _ store: MailStore) async throws(StorageError) -> [StepTarget] {
        switch self {
        case .emails(let ids): return StepTarget.steps(ids)
        case .threads(let ids, let mailboxID): return StepTarget.steps(ids, in: mailboxID)
        case .matches(let filter, let mailboxID):
            let query = EmailQuery(
                in: [accountID], filter: filter, collapseThreads: true, limit: Self.mostMatches)
            let ids = try await store.read.queryEmails(query).hits.map(\.threadID)
            return StepTarget.steps(ids, in: mailboxID)
        }
    }

    /// More than any mailbox contains.
    private static let mostMatches = 1_000_000
}
