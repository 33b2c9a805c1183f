import Glibc
import MailKernelAPI
import Synchronization

/// Classifies a text by its similarity to the examples of each label, and to their mean.
final class VectorClassifier: Sendable {
    /// Differences of a tenth mean a lot between vectors of texts.
    private static let sharpness = 12.0
    private static let mostKept = 2000

    /// Vectors of examples, which come with each request again.
    private let kept = Mutex<[String: [Float]]>([:])

    func scores(
        _ request: ClassificationRequest,
        embed: ([String]) async throws(ModelError) -> [[Float]]
    ) async throws(ModelError) -> [[LabelScore]] {
        let groups = try await vectors(of: request.labels, embed)
        let texts = try await embed(request.texts)
        return texts.map { text in
            let nearness = groups.map { Self.nearness(of: text, to: $0) }
            let top = nearness.max() ?? 0
            let weights = nearness.map { Self.weight($0 - top) }
            let sum = weights.reduce(0, +)
            return zip(request.labels, weights)
                .map { LabelScore(label: $0.name, score: $1 / sum) }
                .sorted { ($1.score, $0.label) < ($0.score, $1.label) }
        }
    }

    private func vectors(
        of labels: [ClassificationRequest.Label],
        _ embed: ([String]) async throws(ModelError) -> [[Float]]
    ) async throws(ModelError) -> [[[Float]]] {
        let known = kept.withLock { $0 }
        // A label without examples has its name.
        let groups = labels.map { $0.examples.isEmpty ? [$0.name] : $0.examples }
        let missing = Set(groups.joined()).filter { known[$0] == nil }.sorted()
        let made = Dictionary(zip(missing, try await embed(missing))) { first, _ in first }
        kept.withLock { kept in
            if kept.count + made.count > Self.mostKept { kept = [:] }
            kept.merge(made) { $1 }
        }
        return groups.map { $0.compactMap { made[$0] ?? known[$0] } }
    }

    private static func nearness(of text: [Float], to examples: [[Float]]) -> Double {
        guard let first = examples.first else { return 0 }
        let nearest = examples.map { cosine(text, $0) }.max() ?? 0
        let middle = examples.dropFirst().reduce(first) { sum, next in zip(sum, next).map { $0 + $1 } }
        let length = cosine(middle, middle).squareRoot()
        return (nearest + (length > 0 ? cosine(text, middle) / length : 0)) / 2
    }

    private static func cosine(_ one: [Float], _ other: [Float]) -> Double {
        Double(zip(one, other).reduce(Float(0)) { $0 + $1.0 * $1.1 })
    }

    /// e to the power of `sharpness` times a difference that is 0 or less.
    private static func weight(_ difference: Double) -> Double {
        exp(difference * sharpness)
    }
}
