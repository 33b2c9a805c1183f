import FoundationEssentials
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Limits of PostgreSQL keep no mail out",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct LimitTests {
    @Test func veryLongWordsAreFoundByTheirBeginning() async throws {
        let word = String(repeating: "é", count: 5_000)
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet([OwnDatabase.email("a", EmailHeader(), "one \(word) two")]))
            #expect(try await database.find(word) == ["a"])
            #expect(try await database.find(String(word.prefix(20))) == ["a"])
        }
    }

    @Test func moreWordsThanAVectorHoldsAreNoError() async throws {
        let words = (0..<200_000).map { "word\($0)" }.joined(separator: " ")
        let database = try OwnDatabase()
        try await database.withStore { store in
            let header = EmailHeader(subject: "Many words")
            _ = try await store.commit(ChangeSet([OwnDatabase.email("a", header, words)]))
            #expect(try await database.find("many word0") == ["a"])
            #expect(try await database.find("word20000") == ["a"])
        }
    }

    @Test func wordsBehindManyOthersAreFound() async throws {
        let text = String(repeating: "again and again ", count: 20_000) + "needle"
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet([OwnDatabase.email("a", EmailHeader(), text)]))
            #expect(try await database.find("needle again") == ["a"])
        }
    }

    @Test func messagesWithEndlessIdsAreConnected() async throws {
        let id = String(repeating: "x", count: 6_000) + "@mail.example"
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(
                ChangeSet([
                    OwnDatabase.email("a", EmailHeader(messageID: [id])),
                    OwnDatabase.email("b", EmailHeader(messageID: ["b@mail.example"], inReplyTo: [id])),
                ]))
            let emails = try await store.emails([Id("a"), Id("b")], in: OwnDatabase.home)
            #expect(Set(emails.map(\.threadID)).count == 1)
        }
    }

    @Test func anEndlessAddressIsNoContact() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            let sightings = [String(repeating: "x", count: 9_000) + "@example.org", "anna@example.org"].map {
                ContactSighting(
                    address: EmailAddress(name: nil, email: $0), seenAt: Date(timeIntervalSince1970: 0))
            }
            _ = try await store.commit(ChangeSet([.countContacts(sightings, in: OwnDatabase.home)]))
            #expect(try await store.contacts(matching: "", limit: 9).map(\.email) == ["anna@example.org"])
        }
    }

    @Test func anOlderFormatIsExplained() async throws {
        let database = try OwnDatabase()
        try await database.withStore { _ in }
        try database.connect().execute("UPDATE store SET format = 1")
        let error = await #expect(throws: StorageError.self) { try await database.store.open() }
        guard case .unsupported(let sentence) = error else {
            Issue.record("a store of format 1: \(error as Any)")
            return
        }
        #expect(sentence.contains("DROP SCHEMA mailkernel CASCADE"))
    }

    @Test func aNewerFormatIsLeftAlone() async throws {
        let database = try OwnDatabase()
        try await database.withStore { _ in }
        try database.connect().execute("UPDATE store SET format = 99")
        await #expect(throws: StorageError.newerFormat(found: 99, known: Schema.spreadVersion)) {
            try await database.store.open()
        }
    }
}
