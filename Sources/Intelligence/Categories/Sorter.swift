import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// Sorts emails of one account with one model: what the user has said first, then what the header says, then
/// what the model finds.
struct Sorter: Sendable {
    /// Part of the name under which insights are stored: changing it recomputes everything.
    private static let version = 1
    static let textLimit = 1000

    let roles: ModelRoles
    let prototypes: [EmailCategory: [[Float]]]
    let corrections: Corrections
    let context: @Sendable (StoredEmail) async throws(StorageError) -> SignalContext

    /// The name under which a model's insights are kept.
    static func name(of roles: ModelRoles) -> String? {
        // Another file may have come under the same id.
        (roles.reader ?? roles.classifier).map { "\($0.id)/\($0.model.sha256.prefix(16))/\(version)" }
    }

    struct Item: Sendable {
        var stored: StoredEmail
        var body: EmailBody
        var former: EmailInsight?
    }

    /// One insight per email, in their order.
    func insights(
        for items: [Item], learned: [LearnedMail]
    ) async throws -> [EmailInsight] {
        let texts = items.map { WrittenText.of($0.body, limit: Self.textLimit) }
        var evidences: [Evidence] = []
        for (item, text) in zip(items, texts) {
            evidences.append(
                HeaderSignals.evidence(
                    item.stored.email, item.body.headers, text: text, try await context(item.stored)))
        }
        var vectors: [[Float]] = []
        if let reader = roles.reader {
            vectors = try await reader.embed(
                zip(items, texts).map { Self.text($0.stored.email, $1) })
            let centroids = Centroids(
                prototypes: prototypes, corrections: learned.map { ($0.category, $0.vector) })
            for index in evidences.indices where !evidences[index].isDecisive {
                centroids.add(vectors[index], to: &evidences[index])
            }
        } else if let classifier = roles.classifier {
            try await classify(items, texts, with: classifier, &evidences)
        }
        let name = Self.name(of: roles) ?? ""
        return items.indices.map { index in
            let email = items[index].stored.email
            let vector = vectors.isEmpty ? [] : vectors[index]
            let said = corrections.category(
                of: Sender(email.header).address, like: vector, among: learned)
            return EmailInsight(
                emailID: email.id, accountID: email.accountID, modelID: name,
                category: said ?? evidences[index].best,
                summary: items[index].former?.summary, embedding: vector)
        }
    }

    private func classify(
        _ items: [Item], _ texts: [String], with classifier: ModelHandle, _ evidences: inout [Evidence]
    ) async throws {
        let open = evidences.indices.filter { !evidences[$0].isDecisive }
        guard !open.isEmpty else { return }
        let answers = try await classifier.classify(
            open.map { Self.text(items[$0].stored.email, texts[$0]) }, labels: Prototypes.labels)
        for (index, scores) in zip(open, answers) {
            for category in Evidence.categories {
                evidences[index].add(2 * (scores[category.rawValue] ?? 0), category)
            }
        }
    }

    /// What a model reads of an email.
    static func text(_ email: Email, _ text: String) -> String {
        let sender = email.header.from.first?.name ?? ""
        return "\(email.header.subject ?? ""). \(sender). \(text)"
    }
}
