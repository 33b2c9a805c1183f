import FoundationEssentials
import MailKernelAPI

/// A downloaded model and its provider. Results are checked, because a provider is foreign code.
struct ModelHandle: Sendable {
    let id: Id<Model>
    let model: Model
    let provider: any AIModelProvider
    /// Called when the model failed.
    var didFail: @Sendable () async -> Void = {}

    /// One vector of length 1 per text, all as long as each other.
    func embed(_ texts: [String]) async throws(ModelError) -> [[Float]] {
        guard !texts.isEmpty else { return [] }
        let vectors = try await asked { () throws(ModelError) in
            try await provider.embed(texts, with: model.id)
        }
        guard vectors.count == texts.count, let dimensions = vectors.first?.count, dimensions > 0 else {
            throw .failed(reason: "The model returned the wrong number of vectors.")
        }
        var normalized: [[Float]] = []
        for vector in vectors {
            guard vector.count == dimensions, let unit = Vectors.normalized(vector) else {
                throw .failed(reason: "The model returned an invalid vector.")
            }
            normalized.append(unit)
        }
        return normalized
    }

    func generate(
        _ instruction: String, data: String, maximumTokens: Int, grammar: String
    ) async throws(ModelError) -> String {
        let request = GenerationRequest(
            model: model.id, instruction: instruction, data: data, maximumTokens: maximumTokens,
            grammar: grammar)
        return try await asked { () throws(ModelError) in
            try await provider.generate(request, partial: { _ in }).text
        }
    }

    func classify(
        _ texts: [String], labels: [ClassificationRequest.Label]
    ) async throws(ModelError) -> [[String: Double]] {
        let answers = try await asked { () throws(ModelError) in
            try await provider.classify(
                ClassificationRequest(model: model.id, texts: texts, labels: labels))
        }
        guard answers.count == texts.count else {
            throw .failed(reason: "The model returned the wrong number of results.")
        }
        return answers.map { scores in
            Dictionary(scores.filter(\.score.isFinite).map { ($0.label, $0.score) }) { first, _ in first }
        }
    }

    private func asked<Answer: Sendable>(
        _ body: () async throws(ModelError) -> Answer
    ) async throws(ModelError) -> Answer {
        do throws(ModelError) {
            return try await body()
        } catch {
            if error != .cancelled { await didFail() }
            throw error
        }
    }
}

/// Which model does what. None of them need be there.
package struct ModelRoles: Sendable {
    /// What can be had with the models that are here.
    package struct Offers: Sendable, Hashable {
        package var categories = false
        package var replies = false
        package var summaries = false
        package var search = false

        /// Another text for other offers.
        package var mark: String {
            [categories, replies, summaries, search].map { $0 ? "1" : "0" }.joined()
        }
    }

    /// Below this size models write replies that miss the point and summaries that are wrong.
    private static let leastWriterSize = 300_000_000

    /// The model for similarity: sorts, searches, chooses replies and sentences.
    var reader: ModelHandle?
    /// Writes replies and summaries.
    var writer: ModelHandle?
    /// Sorts mail where there is no reader.
    var classifier: ModelHandle?

    init(_ handles: [ModelHandle]) {
        reader = handles.first { $0.model.abilities.contains(.embed) }
        writer = handles.first {
            $0.model.abilities.contains(.generate) && $0.model.size >= Self.leastWriterSize
        }
        classifier = handles.first { $0.model.abilities.contains(.classify) }
    }

    /// What a model is used for as long as these are there.
    func work(of id: Id<Model>) -> [Models.Work] {
        let isReader = id == reader?.id
        var work: [Models.Work] = []
        if isReader || (reader == nil && id == classifier?.id) { work.append(.categories) }
        if isReader { work.append(.search) }
        if id == writer?.id || (isReader && writer == nil) { work += [.replies, .summaries] }
        return work
    }

    var offers: Offers {
        Offers(
            categories: reader != nil || classifier != nil, replies: reader != nil || writer != nil,
            summaries: reader != nil || writer != nil, search: reader != nil)
    }
}

extension Models {
    /// Chosen among the models that are here, in the order in which they are listed.
    func roles() async -> ModelRoles { roles(among: await all()) }

    /// What the user can have, as far as it is known.
    package func offers() async -> ModelRoles.Offers { await roles().offers }

    func roles(among entries: [Entry]) -> ModelRoles {
        ModelRoles(
            entries.compactMap { entry in
                guard entry.model.status == .downloaded, let provider = provider(entry.pluginID) else {
                    return nil
                }
                return ModelHandle(id: entry.id, model: entry.model, provider: provider) {
                    await self.lookAgain()
                }
            })
    }
}
