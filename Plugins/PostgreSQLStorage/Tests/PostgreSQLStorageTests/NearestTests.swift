import FoundationEssentials
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

/// Vectors stay in memory between searches; what a search finds is what the database says.
@Suite(
    "The nearest emails",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct NearestTests {
    private static let dimensions = 19

    private static func vector() -> [Float] { (0..<dimensions).map { _ in Float.random(in: -3...3) } }

    private static func insight(_ id: String, _ vector: [Float], by model: String = "model") -> StorageChange
    {
        .putInsight(
            EmailInsight(
                emailID: Id(id), accountID: OwnDatabase.home, modelID: model, category: .primary,
                embedding: vector))
    }

    /// The same search by comparing everything.
    private static func expected(_ question: [Float], _ vectors: [String: [Float]]) -> [String] {
        func product(_ one: [Float], _ other: [Float]) -> Float {
            zip(one, other).reduce(0) { $0 + $1.0 * $1.1 }
        }
        let scored = vectors.filter { $0.value.count == dimensions }.map { id, vector in
            (id, product(vector, question) / product(vector, vector).squareRoot())
        }
        return scored.sorted { $0.1 > $1.1 }.prefix(7).map(\.0)
    }

    private static func find(_ question: [Float], _ store: PostgreSQLStorage) async throws -> [String] {
        try await store.nearestEmails(to: question, by: "model", in: [OwnDatabase.home], limit: 7)
            .map(\.emailID.rawValue)
    }

    @Test func areFoundWhileTheyChange() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet((0..<120).map { OwnDatabase.email("e\($0)") }))
            var vectors: [String: [Float]] = [:]
            for round in 0..<40 {
                var changes: [StorageChange] = []
                for number in Set((0..<6).map { _ in Int.random(in: 0..<120) }) {
                    let id = "e\(number)"
                    switch Int.random(in: 0..<8) {
                    case 0: vectors[id] = nil
                    case 1: vectors[id] = []
                    default: vectors[id] = Self.vector()
                    }
                    // By another model: this one has not seen it then.
                    changes.append(
                        Self.insight(id, vectors[id] ?? [1], by: vectors[id] == nil ? "other" : "model"))
                }
                _ = try await store.commit(ChangeSet(changes))
                if round % 10 == 9, let nearest = Self.expected(Self.vector(), vectors).first {
                    _ = try await store.commit(
                        ChangeSet([
                            .destroyEmail(Id(nearest), in: OwnDatabase.home), OwnDatabase.email(nearest),
                        ]))
                    vectors[nearest] = nil
                }
                let question = Self.vector()
                #expect(try await Self.find(question, store) == Self.expected(question, vectors))
            }
        }
    }

    /// Removed vectors are noticed one by one as they are found, and all at once if there are many.
    @Test func thatAreRemovedElsewhereAreNotFound() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(
                ChangeSet(
                    (0..<200).map { OwnDatabase.email("e\($0)") }
                        + (0..<200).map { Self.insight("e\($0)", Self.vector()) }))
            let question = Self.vector()
            let first = try await Self.find(question, store)
            #expect(first.count == 7)
            let other = try database.connect()
            try other.execute(
                "DELETE FROM insight WHERE id IN (\(first.map { "'\($0)'" }.joined(separator: ", ")))")
            #expect(Set(try await Self.find(question, store)).isDisjoint(with: first))
            try other.execute("DELETE FROM insight WHERE id <> 'e199'")
            #expect(Set(try await Self.find(question, store)).isSubset(of: ["e199"]))
        }
    }

    @Test func ofARemovedAccountAreNotFound() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet([OwnDatabase.email("a"), Self.insight("a", Self.vector())]))
            #expect(try await Self.find(Self.vector(), store) == ["a"])
            try await store.removeAccount(OwnDatabase.home)
            #expect(try await Self.find(Self.vector(), store).isEmpty)
        }
    }
}
