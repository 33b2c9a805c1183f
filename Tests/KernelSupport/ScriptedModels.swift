public import FoundationEssentials
public import MailKernelAPI
public import MailKernelConformance

/// The models in memory, told what to do otherwise, and remembering what they were asked.
public final class ScriptedModels: AIModelProvider {
    public struct Script: Sendable {
        public var listError: ModelError?
        public var downloadError: ModelError?
        public var embedError: ModelError?
        /// What the models are said to be, by the ids of those in memory.
        public var sizes: [Id<Model>: Int] = [:]
        /// Another file under the same name.
        public var digest: String?
        /// Models that their provider has given up, and why; asked for a download it tries them again.
        public var givenUp: [Id<Model>: String] = [:]
        /// Models that are left out.
        public var hidden: Set<Id<Model>> = []
        /// What `generate` says, whatever it is asked.
        public var says: String?
        public var generateError: ModelError?
        /// Every text waits until it is cancelled.
        public var hangs = false
        /// Vectors wait until it is lifted, or they are cancelled.
        public var isHeld = false
        /// Texts with this in it fail.
        public var unreadable: String?
        public var requests: [GenerationRequest] = []
        public var embedded: [[String]] = []
        public var cancelled = 0

        public init() {}
    }

    public let script = Watched(Script())
    private let inner: MemoryModelProvider

    public init(_ inner: MemoryModelProvider) {
        self.inner = inner
    }

    public var now: Script { script.value }

    public func models() async throws(ModelError) -> [Model] {
        if let error = now.listError { throw error }
        let script = now
        return try await inner.models().filter { !script.hidden.contains($0.id) }.map { model in
            var model = model
            model.size = script.sizes[model.id] ?? model.size
            model.sha256 = script.digest ?? model.sha256
            if let reason = script.givenUp[model.id] { model.status = .unusable(reason: reason) }
            return model
        }
    }

    public func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        if let error = now.downloadError { throw error }
        if script.withLock({ $0.givenUp.removeValue(forKey: id) }) != nil { return }
        try await inner.download(id, progress: progress)
    }

    public func discardDownload(_ id: Id<Model>) async throws(ModelError) {
        try await inner.discardDownload(id)
    }

    public func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        try await inner.importModel(from: file, name: name)
    }

    public func delete(_ id: Id<Model>) async throws(ModelError) { try await inner.delete(id) }

    public func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        script.withLock { $0.requests.append(request) }
        if now.hangs { try await hang() }
        if let error = now.generateError { throw error }
        guard let text = now.says else { return try await inner.generate(request, partial: partial) }
        partial(text)
        return Generation(text: text, tokens: text.split(separator: " ").count, isCut: false)
    }

    public func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        try await inner.classify(request)
    }

    public func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        script.withLock { $0.embedded.append(texts) }
        if now.hangs { try await hang() }
        await script.wait { !$0.isHeld }
        if Task.isCancelled { throw .cancelled }
        if let error = now.embedError { throw error }
        if let word = now.unreadable, texts.contains(where: { $0.contains(word) }) {
            throw .failed(reason: "This text cannot be read.")
        }
        return try await inner.embed(texts, with: id)
    }

    public func unload() async {}

    private func hang() async throws(ModelError) {
        await untilCancelled()
        script.withLock { $0.cancelled += 1 }
        throw .cancelled
    }
}
