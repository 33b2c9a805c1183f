import FoundationEssentials
import MailKernelAPI
import Store

/// Why a rule last did not do what it says. It is shown with the rule until the rules are changed.
package struct RuleProblem: Codable, Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "rule-problem"

    package let rule: String
    package var sentence: String
    package var at: Date
    /// The number of messages.
    package var count: Int

    package var id: String { ShortName.of(rule) }

    func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(Self.collection, id, accountID: accountID)
    }

    package static func all(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [RuleProblem] {
        try await store.allDocuments(in: collection, accountID: accountID)
            .compactMap { $0.read(as: RuleProblem.self) }
    }

    /// Records several, each added to what is known of its rule.
    static func changes(
        _ new: [RuleProblem], besides known: [RuleProblem], in accountID: Id<Account>
    ) throws -> [StorageChange] {
        var byRule = Dictionary(known.map { ($0.rule, $0) }) { first, _ in first }
        for problem in new {
            var sum = problem
            sum.count += byRule[problem.rule]?.count ?? 0
            byRule[problem.rule] = sum
        }
        return try Set(new.map(\.rule)).sorted().compactMap { byRule[$0] }.map {
            .putDocument(Document($0.key(accountID), value: try JSONValue(encoding: $0)))
        }
    }
}

/// Why a message is kept as it is, although a rule is about it.
struct RuleFailure: Error {
    let rule: String
    let sentence: String
}
