import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// The reference models, misbehaving as told.
struct MockModelProvider: AIModelProvider {
    private let real: MemoryModelProvider
    private let calls: Misbehavior<ModelError>

    init(host: HostServices) {
        real = MemoryModelPlugin.modelProvider(host: host)
        calls = Misbehavior(
            host, failure: .failed(reason: "The mock was told to fail."), cancelled: .cancelled)
    }

    func models() async throws(ModelError) -> [Model] {
        // The same model twice, once with a size below nothing.
        try await calls.call("models") {
            try await real.models()
        } garbage: {
            $0 + $0.map(\.withNegativeSize)
        }
    }

    func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        try await calls.perform("download") { try await real.download(id, progress: progress) }
    }

    func discardDownload(_ id: Id<Model>) async throws(ModelError) {
        try await calls.perform("discardDownload") { try await real.discardDownload(id) }
    }

    func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        try await calls.call("importModel") { try await real.importModel(from: file, name: name) }
    }

    func delete(_ id: Id<Model>) async throws(ModelError) {
        try await calls.perform("delete") { try await real.delete(id) }
    }

    func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        // Another text than its pieces made, with what a page must not run.
        try await calls.call("generate") {
            try await real.generate(request, partial: partial)
        } garbage: {
            Generation(text: "<script>0</script>\u{0}" + $0.text, tokens: -1, isCut: false)
        }
    }

    func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        // A label that was not requested, a score that is no number, a list too few.
        try await calls.call("classify") {
            try await real.classify(request)
        } garbage: { lists in
            lists.dropLast().map { _ in [LabelScore(label: "nonsense", score: .nan)] }
        }
    }

    func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        // Other lengths, and no directions.
        try await calls.call("embed") {
            try await real.embed(texts, with: id)
        } garbage: {
            $0.enumerated().map { [Float](repeating: .infinity, count: $0.offset) }
        }
    }

    func unload() async {
        await calls.perform(quietly: "unload") { await real.unload() }
    }
}

extension Model {
    fileprivate var withNegativeSize: Model {
        var model = self
        model.size = -1
        return model
    }
}
