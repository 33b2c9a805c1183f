import FoundationEssentials
import MailKernelAPI
import PluginCalls
import Store

/// Finds mail by meaning, in addition to mail that contains the words.
///
/// Only a search sorted by relevance is changed, because no other order has a place for similar mail; and
/// only if the words find little: there is nothing to add to hundreds of matches.
package struct MeaningSearch: Sendable {
    /// From so many matches on, the words are enough.
    static let enough = 200
    private static let nearest = 100
    private static let mostAdded = 30
    /// Below this, mail is no more similar than any two messages; nor is mail far behind the best.
    private static let leastSimilarity: Float = 0.3
    private static let largestLag: Float = 0.25
    private static let patience = 0.5

    let store: MailStore
    package let models: Models
    let clock: any HostClock

    /// Whether what this query finds may depend on more than its words.
    package func applies(to query: EmailQuery) async -> Bool {
        guard Self.question(in: query) != nil else { return false }
        return await models.roles().reader != nil
    }

    /// All hits of the query in one order, by words and by meaning; nil if the words alone are the better
    /// answer.
    package func hits(of query: EmailQuery) async throws(StorageError) -> [EmailQueryResult.Hit]? {
        guard let (text, rest) = Self.question(in: query), let accountID = query.accountIDs.first,
            let reader = await models.roles().reader,
            let vector = await vector(of: text, reader)
        else { return nil }
        var words = query
        (words.window, words.limit, words.collapseThreads) = (.position(0), Self.enough + 1, false)
        let matches = try await store.read.queryEmails(words).hits
        guard matches.count <= Self.enough else { return nil }
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        guard let condition = EmailCondition(rest, mailboxes: mailboxes),
            let name = Sorter.name(of: await models.roles())
        else { return nil }
        let alike = try await alike(vector, name, condition, in: accountID)
        guard !alike.isEmpty else { return nil }
        let fused = RankFusion.fuse(matches, alike)
        guard query.collapseThreads else { return fused }
        var seen: Set<Id<EmailThread>> = []
        return fused.filter { seen.insert($0.threadID).inserted }
    }

    private func alike(
        _ vector: [Float], _ name: String, _ condition: EmailCondition, in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailQueryResult.Hit] {
        let near = try await store.insights.nearestEmails(
            to: vector, by: name, in: [accountID], limit: Self.nearest)
        let least = max(Self.leastSimilarity, (near.first?.similarity ?? 0) - Self.largestLag)
        let ids = near.filter { $0.similarity >= least }.map(\.emailID)
        return try await store.read.emails(ids, in: accountID).filter { condition.holds(for: $0.email) }
            .prefix(Self.mostAdded).map {
                EmailQueryResult.Hit(
                    accountID: accountID, emailID: $0.email.id, threadID: $0.threadID)
            }
    }

    /// A search that waits for a model is a bad search.
    private func vector(of text: String, _ reader: ModelHandle) async -> [Float]? {
        let vectors = await Deadline.run(Self.patience, clock) { try? await reader.embed([text]) }
        return (vectors ?? nil)?.first
    }

    /// The words of a query that may be answered by meaning, and its other conditions.
    private static func question(in query: EmailQuery) -> (text: String, rest: [EmailFilter])? {
        guard query.accountIDs.count == 1, let first = query.sort.first, first.property == .relevance,
            first.isAscending
        else { return nil }
        var conditions = [query.filter].compactMap { $0 }
        while case .and(let inner)? = conditions.first, conditions.count == 1 { conditions = inner }
        var texts: [String] = []
        var rest: [EmailFilter] = []
        for condition in conditions {
            if case .text(let text) = condition { texts.append(text) } else { rest.append(condition) }
        }
        guard texts.count == 1, isMeant(texts[0]) else { return nil }
        return (texts[0], rest)
    }

    /// Who writes a phrase, an address or a number wants exactly that.
    private static func isMeant(_ text: String) -> Bool {
        !text.contains("\"") && !text.contains("@") && text.count <= 500
            && text.filter(\.isLetter).count >= 4
            && !text.split(separator: " ").contains { $0.contains(where: \.isNumber) }
    }
}
