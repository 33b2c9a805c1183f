public import FoundationEssentials
public import MailKernelAPI

/// Models that are a few lines of arithmetic: the same text from the same request, always.
///
/// Its texts repeat words of what they were given; a `grammar` is not followed. A test that needs
/// certain words gives them in `says`.
public struct MemoryModelProvider: AIModelProvider {
    /// A model that generates and classifies.
    public static let writer = Id<Model>("tiny-writer")
    /// A model that embeds.
    public static let reader = Id<Model>("tiny-reader")

    private let shelf: MemoryModelShelf
    private let clock: any HostClock
    private let downloadSeconds: Double
    private let says: [String: String]

    init(shelf: MemoryModelShelf, clock: any HostClock, downloadSeconds: Double, says: [String: String]) {
        self.shelf = shelf
        self.clock = clock
        self.downloadSeconds = downloadSeconds
        self.says = says
    }

    /// - Parameters:
    ///   - isDownloaded: whether the models are there from the beginning.
    ///   - downloadSeconds: how long a download takes by `clock`.
    ///   - says: what to answer when the instruction contains the key.
    public init(
        isDownloaded: Bool, clock: any HostClock, downloadSeconds: Double = 0, says: [String: String] = [:]
    ) {
        self.init(
            shelf: MemoryModelShelf(isFull: isDownloaded), clock: clock, downloadSeconds: downloadSeconds,
            says: says)
    }

    static func source(_ name: String) -> URL {
        URL(string: "https://models.example.org/\(name).gguf") ?? URL(filePath: "/\(name).gguf")
    }

    // MARK: Files

    public func models() async throws(ModelError) -> [Model] { shelf.models }

    public func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        guard let model = shelf.model(id) else { throw .notAvailable }
        if model.status == .downloaded { return }
        guard var received = shelf.beginDownload(model) else {
            throw .failed(reason: "This model is already being downloaded.")
        }
        let steps = 40
        do {
            while received < model.size {
                try await clock.sleep(for: downloadSeconds / Double(steps))
                await Task.yield()
                try Task.checkCancellation()
                received = min(model.size, received + (model.size + steps - 1) / steps)
                let rate = downloadSeconds > 0 ? Double(model.size) / downloadSeconds : Double(model.size)
                let reached = DownloadProgress(received: received, total: model.size, bytesPerSecond: rate)
                shelf.setStatus(.downloading(reached), of: id)
                progress(reached)
            }
        } catch {
            shelf.endDownload(of: model, received: received)
            throw .cancelled
        }
        shelf.endDownload(of: model, received: model.size)
    }

    public func discardDownload(_ id: Id<Model>) async throws(ModelError) {
        shelf.forgetDownload(of: id)
    }

    public func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        guard let bytes = try? Data(contentsOf: file, options: .mappedIfSafe) else {
            throw .badFile(reason: "The file cannot be read.")
        }
        guard bytes.count >= 24, bytes.starts(with: Data("GGUF".utf8)) else {
            throw .badFile(reason: "This is not a GGUF file.")
        }
        return shelf.add(name: name, size: bytes.count)
    }

    public func delete(_ id: Id<Model>) async throws(ModelError) {
        guard shelf.model(id) != nil else { throw .notAvailable }
        shelf.forgetDownload(of: id)
        shelf.setStatus(.notDownloaded, of: id)
        shelf.removeImport(id)
    }

    // MARK: Running

    public func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        try ready(request.model, for: .generate)
        let instruction = request.instruction.lowercased()
        let scripted = says.keys.sorted().first { instruction.contains($0.lowercased()) }.flatMap { says[$0] }
        // The instruction leaves no other trace in the text, and the data can leave none but its words.
        let words = (scripted ?? "About: \(request.data)").split(whereSeparator: \.isWhitespace)
        var text = ""
        for (index, word) in words.prefix(max(0, request.maximumTokens)).enumerated() {
            await Task.yield()
            if Task.isCancelled { throw .cancelled }
            let piece = index == 0 ? String(word) : " " + word
            text += piece
            partial(piece)
        }
        let tokens = min(words.count, max(0, request.maximumTokens))
        return Generation(text: text, tokens: tokens, isCut: tokens < words.count)
    }

    public func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        try ready(request.model, for: .classify)
        let labels = request.labels.map { label in
            (label.name, Set(label.examples.flatMap(WordVector.words)))
        }
        var answers: [[LabelScore]] = []
        for text in request.texts {
            if Task.isCancelled { throw .cancelled }
            let words = Set(WordVector.words(of: text))
            let weights = labels.map { 1 + 9 * Double($0.1.intersection(words).count) }
            let sum = weights.reduce(0, +)
            let scores = zip(labels, weights).map { LabelScore(label: $0.0, score: $1 / sum) }
            answers.append(scores.sorted { ($1.score, $0.label) < ($0.score, $1.label) })
        }
        return answers
    }

    public func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        try ready(id, for: .embed)
        var vectors: [[Float]] = []
        for text in texts {
            if Task.isCancelled { throw .cancelled }
            vectors.append(WordVector.vector(of: text))
        }
        return vectors
    }

    public func unload() async {}

    private func ready(_ id: Id<Model>, for ability: Model.Ability) throws(ModelError) {
        guard let model = shelf.model(id) else { throw .notAvailable }
        guard model.abilities.contains(ability) else {
            throw .unsupported("“\(model.name)” cannot \(ability.rawValue).")
        }
        guard model.status == .downloaded else { throw .notAvailable }
        if Task.isCancelled { throw .cancelled }
    }
}
