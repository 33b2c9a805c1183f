import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "The server is waited for a few times only",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct ExchangeTests {
    @Test func aPageOfConversationsTakesFour() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet((0..<20).map { OwnDatabase.email("e\($0)") }))
            let query = EmailQuery(in: [OwnDatabase.home], filter: .inRole(.inbox), collapseThreads: true)
            // The first time, statements are prepared and the account's number is not known.
            for isFirst in [true, false] {
                let before = try await Self.exchanges(store)
                let hits = try await store.queryEmails(query).hits
                #expect(hits.count == 20)
                #expect(try await store.emails(hits.map(\.emailID), in: OwnDatabase.home).count == 20)
                #expect(try await store.threads(hits.map(\.threadID), in: OwnDatabase.home).count == 20)
                if !isFirst { #expect(try await Self.exchanges(store) - before == 4) }
            }
        }
    }

    @Test func aCommitTakesFive() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            for number in 0..<2 {
                let emails = (0..<30).map { OwnDatabase.email("e\(number)-\($0)") }
                let document = Document(DocumentKey("c", "d", accountID: OwnDatabase.home), value: .number(1))
                let before = try await Self.exchanges(store, writing: true)
                _ = try await store.commit(ChangeSet(emails + [.putDocument(document)]))
                #expect(try await Self.exchanges(store, writing: true) - before <= 5)
            }
        }
    }

    @Test func whatChangedTakesOne() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            for isFirst in [true, false] {
                let since = try await store.state(of: .email, in: OwnDatabase.home)
                _ = try await store.commit(ChangeSet([OwnDatabase.email(isFirst ? "a" : "b")]))
                let before = try await Self.exchanges(store)
                let changes = try await store.changes(
                    of: .email, in: OwnDatabase.home, since: since, limit: 10)
                #expect(changes.created == [isFirst ? "a" : "b"])
                #expect(try await store.state(of: .email, in: OwnDatabase.home) == changes.newState)
                if !isFirst { #expect(try await Self.exchanges(store) - before == 2) }
            }
            let other = State(rawValue: "other-1-1")
            await #expect(throws: StorageError.cannotCalculateChanges) {
                _ = try await store.changes(of: .email, in: OwnDatabase.home, since: other, limit: 10)
            }
        }
    }

    private static func exchanges(
        _ store: PostgreSQLStorage, writing: Bool = false
    ) async throws -> Int {
        let server = try store.store().home
        return try await (writing ? server.writers : server.readers).run { lane throws(StorageError) in
            try lane.plain { connection throws(StorageError) in connection.exchanges }
        }
    }

    /// The number that is remembered of an account is no longer right.
    @Test func anAccountThatIsAddedAgainIsAnotherOne() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            let old = [Id<Email>("old")]
            let new = [Id<Email>("new")]
            _ = try await store.commit(ChangeSet([OwnDatabase.email("old")]))
            #expect(try await store.emails(old, in: OwnDatabase.home).count == 1)
            let account = try #require(try await store.accounts().first)
            let inbox = Mailbox(
                id: OwnDatabase.inbox, accountID: OwnDatabase.home, name: "Inbox", role: .inbox)
            try await store.removeAccount(OwnDatabase.home)
            #expect(try await store.emails(old, in: OwnDatabase.home).isEmpty)
            _ = try await store.commit(
                ChangeSet([.putAccount(account), .putMailbox(inbox), OwnDatabase.email("new")]))
            #expect(try await store.emails(old + new, in: OwnDatabase.home).map(\.email.id) == new)
            #expect(try await store.mailboxes(nil, in: OwnDatabase.home).first?.counts.totalEmails == 1)
        }
    }
}

@Suite(
    "Much mail at once",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct MuchMailTests {
    @Test func theNewestMatchesAreRankedAndTheOthersFollow() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            let count = QueryOrder.mostRanked + 50
            var emails = (0..<count).map { Self.email("e\($0)", at: Double($0), "penguin and much else") }
            let much = "penguin penguin penguin"
            emails[0] = Self.email("oldest", at: 0, much)
            emails[count - 20] = Self.email("best", at: Double(count - 20), much)
            _ = try await store.commit(ChangeSet(emails))
            var query = EmailQuery(
                in: [OwnDatabase.home], filter: .text("penguin"), sort: [EmailSort(.relevance)], limit: 1_000)
            let all = try await store.queryEmails(query).hits.map(\.emailID.rawValue)
            #expect(Set(all).count == count)
            #expect(all.count == count)
            #expect(all.first == "best")
            #expect(all[QueryOrder.mostRanked...].contains("oldest"))
            query.window = .position(QueryOrder.mostRanked - 10)
            query.limit = 20
            let page = try await store.queryEmails(query).hits.map(\.emailID.rawValue)
            #expect(page == Array(all[(QueryOrder.mostRanked - 10)..<(QueryOrder.mostRanked + 10)]))
            (query.window, query.collapseThreads, query.limit) = (.position(0), true, 1_000)
            #expect(try await store.queryEmails(query).hits.count == count)
        }
    }

    private static func email(_ id: String, at time: Double, _ text: String) -> StorageChange {
        guard case .putEmail(var email, let body) = OwnDatabase.email(id, EmailHeader(), text) else {
            return OwnDatabase.email(id)
        }
        email.receivedAt = Date(timeIntervalSince1970: 1_700_000_000 + time)
        return .putEmail(email, body)
    }

    /// New words come into the index beside the commits: what is left to read at each search stays short.
    @Test func wordsDoNotStayOnTheList() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            let connection = try database.connect()
            try connection.execute("CREATE EXTENSION pgstattuple")
            for number in 0..<4 {
                let emails = (0..<50).map { email in
                    let words = (0..<1_000).map { "w\(number)x\(email)x\($0)" }
                    return OwnDatabase.email(
                        "e\(number)-\(email)", EmailHeader(), words.joined(separator: " "))
                }
                _ = try await store.commit(ChangeSet(emails))
            }
            try await polling(until: "the index has taken all pages") {
                let pages = try connection.first("SELECT pending_pages FROM pgstatginindex('email_terms')") {
                    $0.int(0)
                }
                return pages == 0
            }
            #expect(try await database.find("w3x49x999") == ["e3-49"])
        }
    }

    /// In one commit, the later name of an email replaces the one before, and the later email of a name, too.
    @Test func namesThatFollowEachOtherReplaceEachOther() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            func ref(_ email: String, _ remote: String, _ feed: String = "f") -> StorageChange {
                .putRemote(
                    RemoteRef(
                        emailID: Id(email), accountID: OwnDatabase.home, feed: FeedID(feed),
                        remoteID: Id(remote)))
            }
            func names() async throws -> Set<String> {
                let ids = ["a", "b", "c"].map { Id<Email>($0) }
                return Set(
                    try await store.remoteRefs(of: ids, in: OwnDatabase.home).map {
                        "\($0.emailID.rawValue) \($0.feed.rawValue) \($0.remoteID.rawValue)"
                    })
            }
            let emails = ["a", "b", "c"].map { OwnDatabase.email($0) }
            _ = try await store.commit(
                ChangeSet(emails + [ref("a", "1"), ref("a", "2"), ref("b", "2"), ref("c", "1", "g")]))
            #expect(try await names() == ["b f 2", "c g 1"])
            let gone = StorageChange.removeRemote(Id("2"), feed: FeedID("f"), in: OwnDatabase.home)
            _ = try await store.commit(ChangeSet([ref("a", "3"), gone, ref("b", "3"), ref("c", "4", "g")]))
            #expect(try await names() == ["b f 3", "c g 4"])
            let destroy = StorageChange.destroyEmail(Id("b"), in: OwnDatabase.home)
            _ = try await store.commit(ChangeSet([ref("b", "5"), destroy, ref("a", "3")]))
            #expect(try await names() == ["a f 3", "c g 4"])
        }
    }
}
