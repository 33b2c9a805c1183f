import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import SQLiteStorage

/// Vectors are kept at hand between searches; what a search finds is what the database says.
@Suite("The nearest emails") struct VectorTests {
    private static let dimensions = 19

    private func vector(_ random: inout SystemRandomNumberGenerator) -> [Float] {
        (0..<Self.dimensions).map { _ in Float.random(in: -3...3, using: &random) }
    }

    /// The same search by reading everything.
    private func expected(
        _ store: SQLiteStorage, _ question: [Float], _ limit: Int, _ vectors: [String: [Float]]
    ) -> [String] {
        func length(_ vector: [Float]) -> Float { vector.reduce(0) { $0 + $1 * $1 }.squareRoot() }
        let all = vectors.filter { $0.value.count == question.count && length($0.value) > 0 }
        let scored: [(String, Float)] = all.map { id, vector in
            var product: Float = 0
            for (one, other) in zip(vector, question) { product += one * other }
            return (id, product / (length(vector) * length(question)))
        }
        return scored.sorted { $0.1 > $1.1 }.prefix(limit).map(\.0)
    }

    private func insight(_ id: String, _ vector: [Float], by model: String = "model") -> StorageChange {
        .putInsight(
            EmailInsight(
                emailID: Id(id), accountID: Sample.home, modelID: model, category: .primary,
                embedding: vector))
    }

    @Test func areFoundWhileTheyChange() async throws {
        let folder = try TestFolder()
        try await folder.withStore { store in
            var random = SystemRandomNumberGenerator()
            _ = try await store.commit(
                ChangeSet(Sample.account() + (0..<120).map { Sample.email("e\($0)") }))
            var vectors: [String: [Float]] = [:]
            for round in 0..<60 {
                var changes: [StorageChange] = []
                for number in Set((0..<5).map { _ in Int.random(in: 0..<120, using: &random) }) {
                    let id = "e\(number)"
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0:
                        // By another model: this one has seen it no more.
                        changes.append(insight(id, vector(&random), by: "other"))
                        vectors[id] = nil
                    case 1:
                        changes.append(insight(id, []))
                        vectors[id] = []
                    default:
                        vectors[id] = vector(&random)
                        changes.append(insight(id, vectors[id] ?? []))
                    }
                }
                if round % 10 == 9 {
                    let (gone, back) = (
                        "e\(round)", StorageChange.destroyEmail(Id("e\(round)"), in: Sample.home)
                    )
                    vectors[gone] = nil
                    changes.removeAll {
                        if case .putInsight(let put) = $0 { put.emailID.rawValue == gone } else { false }
                    }
                    changes += [back, Sample.email(gone)]
                }
                _ = try await store.commit(ChangeSet(changes))
                if round == 30 {
                    _ = try await store.clearCache(includingInsights: true)
                    vectors = [:]
                }
                let question = vector(&random)
                let near = try await store.nearestEmails(
                    to: question, by: "model", in: [Sample.home], limit: 7)
                #expect(near.map(\.emailID.rawValue) == expected(store, question, 7, vectors))
            }
            try await store.removeAccount(Sample.home)
            let none = try await store.nearestEmails(
                to: vector(&random), by: "model", in: [Sample.home], limit: 7)
            #expect(none.isEmpty)
        }
    }
}
