import CLocalModels
import FoundationEssentials
import InferenceWire
import MailKernelAPI

/// Language models on this machine, in GGUF files, run by llama.cpp in separate processes.
package struct LocalModelProvider: AIModelProvider {
    /// More than any model here reads.
    private static let longestData = 48 << 10
    private static let longestInstruction = 8 << 10
    private static let longestText = 8 << 10
    /// The number of texts per turn; in between, other requests can run. A batch of this size or larger is
    /// never urgent.
    private static let batch = 8

    let shelf: ModelShelf
    private let network: any PluginNetwork
    private let clock: any HostClock
    private let classifier = VectorClassifier()

    package init(host: HostServices) {
        let suffices = clocalmodels_processor_suffices() != 0
        self.init(
            host: host, catalog: Catalog.entries(host), program: HelperProgram(),
            obstacle: suffices ? nil : Self.oldProcessor)
    }

    init(
        host: HostServices, catalog: [CatalogEntry], program: HelperProgram, obstacle: String?,
        context: Int = ImportedModel.context
    ) {
        network = host.network
        clock = host.clock
        shelf = ModelShelf(
            folder: ModelFolder(in: host.dataFolder), catalog: catalog, program: program,
            clock: host.clock, obstacle: obstacle, context: context)
    }

    static let oldProcessor =
        "This computer's processor is too old to run language models: it has no AVX2. Everything else works."

    // MARK: Files

    package func models() async throws(ModelError) -> [Model] { await shelf.models() }

    package func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        let entry = try shelf.entry(id)
        try shelf.requireUsable()
        if shelf.folder.has(id, size: entry.size) { return await shelf.tryAgain(id) }
        guard shelf.beginDownload(entry) else {
            throw .failed(reason: "This model is already being downloaded.")
        }
        let shelf = shelf
        defer { shelf.endDownload(id) }
        let download = ModelDownload(entry: entry, folder: shelf.folder, network: network, clock: clock)
        try await download.run { reached in
            shelf.reached(reached, id)
            progress(reached)
        }
        // A model marked as unusable may have been repaired.
        await shelf.dismiss(id)
    }

    package func discardDownload(_ id: Id<Model>) async throws(ModelError) {
        let entry = try shelf.entry(id)
        try refuseWhileDownloading(id)
        try ModelDownload(entry: entry, folder: shelf.folder, network: network, clock: clock).forget()
    }

    package func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        try shelf.requireUsable()
        let importing = ModelImport(folder: shelf.folder) { file, model throws(ModelError) in
            let engine = shelf.newEngine(file, model.entry(Id("trial"), file: file))
            defer { Task { await engine.dismiss() } }
            try await Self.tryOut(engine, model)
        }
        let (id, model) = try await importing.run(file, name: name)
        return model.entry(id, file: shelf.folder.model(id)).model(.downloaded)
    }

    private static func tryOut(_ engine: Engine, _ model: ImportedModel) async throws(ModelError) {
        if model.abilities.contains(.embed) {
            _ = try await embed(["text"], on: engine, isAwaited: true)
        } else {
            let request = WriteRequest(
                instruction: "Answer.", data: "text", maximumTokens: 1, temperature: 0, seed: 0, grammar: nil)
            _ = try await write(request, on: engine) { _ in }
        }
    }

    package func delete(_ id: Id<Model>) async throws(ModelError) {
        _ = try shelf.entry(id)
        try refuseWhileDownloading(id)
        // The note first: a model without one is not listed, and a note without a model neither. Then the
        // file, so that nothing that runs it is started again.
        try Folders.remove(shelf.folder.note(id))
        try Folders.remove(shelf.folder.model(id))
        await shelf.dismiss(id)
        try Folders.remove(shelf.folder.part(id))
        try Folders.remove(shelf.folder.partNote(id))
    }

    private func refuseWhileDownloading(_ id: Id<Model>) throws(ModelError) {
        guard !shelf.isDownloading(id) else {
            throw .failed(reason: "This model is being downloaded. Stop the download first.")
        }
    }

    // MARK: Running

    package func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        let (engine, _) = try shelf.engine(for: request.model, to: .generate)
        let write = WriteRequest(
            instruction: request.instruction.beginning(upTo: Self.longestInstruction),
            data: request.data.beginning(upTo: Self.longestData), maximumTokens: request.maximumTokens,
            temperature: request.temperature.isFinite ? max(0, request.temperature) : 0, seed: request.seed,
            grammar: request.grammar)
        return try await Self.write(write, on: engine, partial)
    }

    private static func write(
        _ request: WriteRequest, on engine: Engine, _ partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        let text = WrittenText()
        return try await engine.perform {
            .write(number: $0, request)
        } _: { reply throws(ModelError) in
            switch reply {
            case .piece(_, let piece):
                text.add(piece)
                partial(piece)
                return nil
            case .written(_, let tokens, let isCut):
                return Generation(text: text.all, tokens: tokens, isCut: isCut)
            default: return nil
            }
        }
    }

    package func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        let (engine, entry) = try shelf.engine(for: request.model, to: .classify)
        guard !request.texts.isEmpty, !request.labels.isEmpty else { return request.texts.map { _ in [] } }
        guard entry.abilities.contains(.embed) else { return try await score(request, on: engine) }
        return try await classifier.scores(request) { texts throws(ModelError) in
            try await Self.embed(texts, on: engine, isAwaited: false)
        }
    }

    private func score(
        _ request: ClassificationRequest, on engine: Engine
    ) async throws(ModelError) -> [[LabelScore]] {
        // One example of each label in turn: models favor the labels of the last ones.
        let most = request.labels.map(\.examples.count).max() ?? 0
        let examples = (0..<min(most, 8)).flatMap { round in
            request.labels.indices.compactMap { label in
                let texts = request.labels[label].examples
                return round < texts.count
                    ? ScoreRequest.Example(text: texts[round].beginning(upTo: 1024), label: label) : nil
            }
        }
        var all: [[LabelScore]] = []
        // Reading takes long, so each text is a separate turn.
        for text in request.texts {
            let score = ScoreRequest(
                texts: [text.beginning(upTo: Self.longestText)], labels: request.labels.map(\.name),
                examples: examples)
            let scores = try await engine.perform(isAwaited: false) {
                .score(number: $0, score)
            } _: {
                reply throws(ModelError) -> [[Double]]? in
                guard case .scores(_, let scores) = reply else { return nil }
                guard scores.map(\.count) == [score.labels.count] else { throw Self.nonsense }
                return scores
            }
            all += scores.map { scores in
                zip(score.labels, scores).map { LabelScore(label: $0, score: $1) }
                    .sorted { ($1.score, $0.label) < ($0.score, $1.label) }
            }
        }
        return all
    }

    package func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        let (engine, _) = try shelf.engine(for: id, to: .embed)
        return try await Self.embed(texts, on: engine, isAwaited: texts.count < Self.batch)
    }

    private static func embed(
        _ texts: [String], on engine: Engine, isAwaited: Bool
    ) async throws(ModelError) -> [[Float]] {
        var all: [[Float]] = []
        for texts in batches(texts) {
            all += try await engine.perform(isAwaited: isAwaited) {
                .embed(number: $0, texts: texts)
            } _: {
                reply throws(ModelError) -> [[Float]]? in
                guard case .vectors(_, let vectors) = reply else { return nil }
                guard let numbers = vectors.numbers, numbers.count == texts.count else { throw nonsense }
                return numbers
            }
        }
        return all
    }

    package func unload() async { await shelf.unload() }

    private static func batches(_ texts: [String]) -> [[String]] {
        texts.slices(of: batch).map { $0.map { $0.beginning(upTo: longestText) } }
    }

    private static let nonsense = ModelError.failed(
        reason: "The engine returned an unexpected response.")
}
