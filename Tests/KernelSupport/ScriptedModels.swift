import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// The models in memory, told what to do otherwise, and remembering what they were asked.
package final class ScriptedModels: AIModelProvider {
    package struct Script: Sendable {
        package var listError: ModelError?
        /// The list waits until it is lifted.
        package var isListHeld = false
        package var downloadError: ModelError?
        package var deletionError: ModelError?
        /// Deletions wait until it is lifted.
        package var isDeletionHeld = false
        package var embedError: ModelError?
        /// What the models are said to be, by the ids of those in memory.
        package var sizes: [Id<Model>: Int] = [:]
        /// Where the models are said to come from.
        package var sources: [Id<Model>: URL] = [:]
        /// Another file under the same name.
        package var digest: String?
        /// Models that their provider has given up, and why; asked for a download it tries them again.
        package var givenUp: [Id<Model>: String] = [:]
        /// Models that are left out.
        package var hidden: Set<Id<Model>> = []
        /// What `generate` says, whatever it is asked.
        package var says: String?
        package var generateError: ModelError?
        /// Hands over the pieces of a text before it is there.
        package var pieces: @Sendable (@Sendable (String) -> Void) async -> Void = { _ in }
        /// Every text waits until it is cancelled.
        package var hangs = false
        /// This call does not return before it is lifted, canceled or not.
        package var stuckIn: String?
        package var isStuck = false
        /// Vectors wait until it is lifted, or they are cancelled.
        package var isHeld = false
        /// Texts with this in it fail.
        package var unreadable: String?
        package var requests: [GenerationRequest] = []
        package var embedded: [[String]] = []
        package var cancelled = 0

        package init() {}
    }

    package let script = Watched(Script())
    private let inner: MemoryModelProvider

    package init(_ inner: MemoryModelProvider) {
        self.inner = inner
    }

    package var now: Script { script.value }

    package func models() async throws(ModelError) -> [Model] {
        await come("models")
        await script.wait { !$0.isListHeld }
        if let error = now.listError { throw error }
        let script = now
        return try await inner.models().filter { !script.hidden.contains($0.id) }.map { model in
            var model = model
            model.size = script.sizes[model.id] ?? model.size
            model.source = script.sources[model.id] ?? model.source
            model.sha256 = script.digest ?? model.sha256
            if let reason = script.givenUp[model.id] { model.status = .unusable(reason: reason) }
            return model
        }
    }

    package func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        if let error = now.downloadError { throw error }
        if script.withLock({ $0.givenUp.removeValue(forKey: id) }) != nil { return }
        try await inner.download(id, progress: progress)
    }

    package func discardDownload(_ id: Id<Model>) async throws(ModelError) {
        await come("discardDownload")
        try await inner.discardDownload(id)
    }

    package func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        try await inner.importModel(from: file, name: name)
    }

    package func delete(_ id: Id<Model>) async throws(ModelError) {
        await come("delete")
        await script.wait { !$0.isDeletionHeld }
        if let error = now.deletionError { throw error }
        try await inner.delete(id)
    }

    package func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        script.withLock { $0.requests.append(request) }
        await come("generate")
        if now.hangs { try await hang() }
        if let error = now.generateError { throw error }
        await now.pieces(partial)
        guard let text = now.says else { return try await inner.generate(request, partial: partial) }
        partial(text)
        return Generation(text: text, tokens: text.split(separator: " ").count, isCut: false)
    }

    package func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        try await inner.classify(request)
    }

    package func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        script.withLock { $0.embedded.append(texts) }
        await come("embed")
        if now.hangs { try await hang() }
        await script.wait { !$0.isHeld }
        if Task.isCancelled { throw .cancelled }
        if let error = now.embedError { throw error }
        if let word = now.unreadable, texts.contains(where: { $0.contains(word) }) {
            throw .failed(reason: "This text cannot be read.")
        }
        return try await inner.embed(texts, with: id)
    }

    package func unload() async { await come("unload") }

    private func come(_ call: String) async {
        // What was asked for a moment ago holds for this call.
        guard now.stuckIn == call else { return }
        script.withLock { $0.isStuck = true }
        await Task { await script.wait { $0.stuckIn != call } }.value
    }

    private func hang() async throws(ModelError) {
        await untilCancelled()
        script.withLock { $0.cancelled += 1 }
        throw .cancelled
    }
}
