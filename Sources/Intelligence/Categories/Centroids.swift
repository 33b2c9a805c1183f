import MailKernelAPI

/// What mail of each category looks like to a model: prototypes at first, and more and more what the user
/// has sorted by hand.
struct Centroids: Sendable {
    /// One correction moves a category as far as this share of all its prototypes.
    private static let correctionWeight: Float = 3
    /// Cosines of mail differ by little: this makes a clear difference as strong as a clear header.
    private static let sharpness = 9.0
    /// Mail at least this similar to a corrected message is of the same kind, such as last week's issue of a
    /// newsletter.
    private static let sameKind: Float = 0.92

    private struct Kind {
        var middle: [Float]
        var examples: [[Float]]
    }

    private var kinds: [EmailCategory: Kind] = [:]
    private var corrections: [(category: EmailCategory, vector: [Float])] = []

    init(
        prototypes: [EmailCategory: [[Float]]],
        corrections: [(category: EmailCategory, vector: [Float])] = []
    ) {
        self.corrections = corrections
        for category in Evidence.categories {
            let given = prototypes[category] ?? []
            let learned = corrections.filter { $0.category == category }.map(\.vector)
            let weighted = given.map { ($0, Float(1)) } + learned.map { ($0, Self.correctionWeight) }
            guard let middle = Vectors.middle(of: weighted) else { continue }
            kinds[category] = Kind(middle: middle, examples: given + learned)
        }
    }

    func add(_ vector: [Float], to evidence: inout Evidence) {
        let near = corrections.map { (Vectors.dot($0.vector, vector), $0.category) }.max { $0.0 < $1.0 }
        if let near, near.0 >= Self.sameKind { return evidence.decide(near.1) }
        let scores = Evidence.categories.map { category -> Double in
            guard let kind = kinds[category] else { return 0 }
            let nearest = kind.examples.map { Vectors.dot($0, vector) }.sorted(by: >).prefix(2)
            let examples = nearest.isEmpty ? 0 : nearest.reduce(0, +) / Float(nearest.count)
            return Double(Vectors.dot(kind.middle, vector) + examples) / 2
        }
        let mean = scores.reduce(0, +) / Double(scores.count)
        for (category, score) in zip(Evidence.categories, scores) {
            evidence.add((score - mean) * Self.sharpness, category)
        }
    }
}
