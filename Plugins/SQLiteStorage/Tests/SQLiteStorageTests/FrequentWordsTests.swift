import FoundationEssentials
import MailKernelAPI
import StoreRules
import Testing

@testable import SQLiteStorage

@Suite("Words that very many emails have") struct FrequentWordsTests {
    /// Emails of few moments, so that many are of one.
    private func filled() async throws -> TestFolder {
        let folder = try TestFolder()
        try await folder.withStore { store in
            let emails = (0..<120).map { number -> StorageChange in
                let change = Sample.email("e\(number)", text: number.isMultiple(of: 3) ? "rare" : "frequent")
                guard case .putEmail(var email, let body) = change else { return change }
                email.receivedAt = Sample.start + Double(number * 7 % 11)
                return .putEmail(email, body)
            }
            _ = try await store.commit(ChangeSet(Sample.account() + emails))
        }
        return folder
    }

    @Test(arguments: [
        EmailFilter.text("frequent"), .text("rare"), .body("freq"), .text("nothing"),
        .and([.text("frequent"), .inMailbox(Sample.inbox)]),
    ])
    func findTheSameInTheSameOrder(_ filter: EmailFilter) async throws {
        let folder = try await filled()
        try await folder.withStore { store in
            for window in [EmailQuery.Window.position(0), .position(33), .anchor(Id("e4"), offset: -3)] {
                for isAscending in [false, true] {
                    var query = EmailQuery(in: [Sample.home], filter: filter, limit: 20)
                    (query.window, query.sort) = (window, [EmailSort(.receivedAt, isAscending: isAscending)])
                    let asked = query
                    let answers = try await store.store().read { database throws(StorageError) in
                        try [1, Int.max].map { many throws(StorageError) in
                            try Self.hits(asked, database, many)
                        }
                    }
                    #expect(answers[0] == answers[1], "\(window), ascending: \(isAscending)")
                }
            }
        }
    }

    private static func hits(
        _ query: EmailQuery, _ database: Database, _ many: Int
    ) throws(StorageError) -> [Id<Email>]? {
        do throws(StorageError) {
            return try QueryRun(query, database, manyMatches: many).result(State(rawValue: "")).hits
                .map(\.emailID)
        } catch .anchorNotFound {
            return nil
        }
    }
}
