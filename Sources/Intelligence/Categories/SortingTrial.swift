import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// Sorts messages without a store, to measure how well it is done: by headers alone, by a model alone, and by
/// both as the program does it.
package struct SortingTrial: Sendable {
    package enum Basis: String, Sendable, CaseIterable {
        case signals, model, both
    }

    package struct Message: Sendable {
        fileprivate let email: Email
        fileprivate let body: EmailBody

        package init(_ data: Data) {
            let parsed = MessageParser().parse(data) { Id($0) }
            email = Email(
                id: Id("M"), accountID: Id("A"), blobID: Id("B"), mailboxIDs: [], size: data.count,
                receivedAt: Date(timeIntervalSince1970: 0), header: parsed.header)
            body = parsed.body
        }
    }

    private let reader: ModelHandle?
    private let centroids: Centroids?

    /// - Parameter model: one that embeds; nil to look at headers alone.
    package init(_ model: (provider: any AIModelProvider, model: Model)?) async throws(ModelError) {
        reader = model.map { ModelHandle(id: $0.model.id, model: $0.model, provider: $0.provider) }
        guard let reader else {
            centroids = nil
            return
        }
        var prototypes: [EmailCategory: [[Float]]] = [:]
        for (category, texts) in Prototypes.texts { prototypes[category] = try await reader.embed(texts) }
        centroids = Centroids(prototypes: prototypes)
    }

    package func categories(
        of messages: [Message], by basis: Basis
    ) async throws(ModelError) -> [EmailCategory] {
        let context = SignalContext(ownAddress: "ada@example.net")
        var found: [EmailCategory] = []
        for message in messages {
            let text = WrittenText.of(message.body, limit: Sorter.textLimit)
            var evidence = Evidence()
            if basis != .model {
                evidence = HeaderSignals.evidence(message.email, message.body.headers, text: text, context)
            }
            if basis != .signals, !evidence.isDecisive, let reader, let centroids {
                for vector in try await reader.embed([Sorter.text(message.email, text)]) {
                    centroids.add(vector, to: &evidence)
                }
            }
            found.append(evidence.best)
        }
        return found
    }
}
