import FoundationEssentials
import MailKernelAPI
import Synchronization

/// The subject's models, and the one that a case needs, made ready.
struct ModelTrial: Sendable {
    /// A case does not download more than this by itself.
    static let largestDownload = 100_000_000

    let bench: ConformanceBench
    let provider: any AIModelProvider

    init(_ bench: ConformanceBench) throws {
        self.bench = bench
        provider = try Self.provider(bench)
    }

    static func provider(_ bench: ConformanceBench) throws -> any AIModelProvider {
        guard case .model(let provider) = try bench.makeProvider() else {
            throw ConformanceFailure("the plugin's provider is not of the kind “model”")
        }
        return provider
    }

    func status(of id: Id<Model>) async throws -> Model.Status {
        guard let model = try await provider.models().first(where: { $0.id == id }) else {
            throw ConformanceFailure("models: expected “\(id)” to stay listed, it is gone")
        }
        return model.status
    }

    /// A model that is not here and small enough to be downloaded.
    func missingModel() async throws -> Model {
        let missing = try await provider.models().filter { $0.status == .notDownloaded }
        guard let smallest = missing.min(by: { $0.size < $1.size }) else {
            throw NotApplicable("there is no model that could be downloaded")
        }
        guard smallest.size <= Self.largestDownload else {
            throw NotApplicable("the smallest model to download has \(smallest.size / 1_000_000) MB")
        }
        return smallest
    }

    /// A model that is here and has an ability; downloaded for it if need be.
    func readyModel(_ ability: Model.Ability) async throws -> Id<Model> {
        let able = try await provider.models().filter { $0.abilities.contains(ability) }
        if let here = able.first(where: { $0.status == .downloaded }) { return here.id }
        let missing = able.filter { $0.status == .notDownloaded && $0.size <= Self.largestDownload }
        guard let smallest = missing.min(by: { $0.size < $1.size }) else {
            throw NotApplicable(
                "no model that can \(ability.rawValue) is here or small enough to be downloaded")
        }
        try await download(smallest.id)
        return smallest.id
    }

    @discardableResult
    func download(
        _ id: Id<Model>, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
    ) async throws -> [DownloadProgress] {
        let steps = Collected<DownloadProgress>()
        do {
            try await provider.download(id) { progress in
                steps.append(progress)
                onProgress(progress)
            }
        } catch ModelError.network(let error) {
            throw NotApplicable("the network that the subject brings does not reach the model: \(error)")
        }
        return steps.all
    }

    func generate(_ request: GenerationRequest) async throws -> (text: Generation, pieces: [String]) {
        let pieces = Collected<String>()
        let text = try await provider.generate(request) { pieces.append($0) }
        return (text, pieces.all)
    }
}

/// What a callback was given, in its order.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func append(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

/// A case that works with the subject's models.
func modelCase(
    _ name: String, _ promise: String, body: @escaping @Sendable (ModelTrial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(.model, name, promise) { try await body(try ModelTrial($0)) }
}
