import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Accounts are spread over three servers", .serialized, .timeLimit(.minutes(15)),
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct SpreadTests {
    @Test func aQueryFindsTheMailOfAllServers() async throws {
        let spread = try SpreadStore()
        let store = spread.store
        #expect(try await store.open() == .created)
        try await spread.add("a", "b", "c")
        try await spread.place(Id("b"), on: "two")
        try await spread.place(Id("c"), on: "three")
        for (number, account) in ["a", "b", "c", "a", "b", "c"].enumerated() {
            _ = try await store.commit(
                ChangeSet([
                    SpreadStore.email("m\(number)", in: account, Double(number), "a needle"),
                    .countContacts([Self.sighting("anna@example.org", number)], in: Id(account)),
                ]))
        }
        let accounts: [Id<Account>] = ["a", "b", "c"].map { Id($0) }
        var query = EmailQuery(in: accounts, filter: .text("needle"), limit: 4)
        #expect(try await store.queryEmails(query).hits.map(\.emailID.rawValue) == ["m5", "m4", "m3", "m2"])
        query.window = .anchor(Id("m2"), offset: -1)
        query.calculateTotal = true
        let page = try await store.queryEmails(query)
        #expect(page.hits.map(\.emailID.rawValue) == ["m3", "m2", "m1", "m0"])
        #expect(page.total == 6)
        let contact = try await store.contacts(matching: "anna", limit: 5)
        #expect(contact.map(\.frequency) == [2])
        #expect(contact.first?.name == "Anna 5")
        #expect(try await store.accounts().map(\.id) == accounts)
        #expect(try await store.usage().accounts.map(\.accountID) == accounts)
        let rows = try ["home", "two", "three"].map { try Self.emails(try spread.connect($0)) }
        #expect(rows == [2, 2, 2])
        #expect(try await store.check() == [])
        try spread.connect("two").execute("DELETE FROM email_mailbox")
        let findings = try await store.check()
        #expect(findings.first?.hasPrefix("Server “two”: 2 messages are missing") ?? false, "\(findings)")
        await store.close()
    }

    @Test func whatBelongsToNoAccountChangesWithTheAccount() async throws {
        let spread = try SpreadStore()
        let store = spread.store
        _ = try await store.open()
        try await spread.add("b")
        try await spread.place(Id("b"), on: "two")
        let key = DocumentKey("settings", "theme")
        let before = try await store.state(of: .account, in: nil)
        var account = SpreadStore.account("b")
        account.displayName = "Renamed"
        let change = ChangeSet(
            [
                SpreadStore.email("m", in: "b"), .putAccount(account),
                .putDocument(Document(key, value: "dark")),
            ],
            preconditions: [.init(.account, in: nil, is: before)])
        let states = try await store.commit(change).states
        #expect(Set(states.map(\.type)) == [.account, .documents("settings"), .email, .mailbox, .thread])
        #expect(try await store.accounts().map(\.displayName) == ["Renamed"])
        #expect(try await store.document(key)?.value == "dark")
        await #expect(throws: StorageError.self) { try await store.commit(change) }
        let changes = try await store.changes(of: .account, in: nil, since: before, limit: 10)
        #expect(changes.updated == ["b"])
        await #expect(throws: StorageError.notFound("email gone")) {
            try await store.commit(
                ChangeSet([
                    .destroyEmail(Id("gone"), in: Id("b")), .putDocument(Document(key, value: "light")),
                ]))
        }
        #expect(try await store.document(key)?.value == "dark")
        try await Self.expectThatADeedIsCarriedOutLater(spread, key)
        try await store.removeAccount(Id("b"))
        #expect(try await store.accounts().isEmpty)
        #expect(try Self.emails(spread.connect("two")) == 0)
        await store.close()
    }

    /// As if the program had ended between both transactions.
    private static func expectThatADeedIsCarriedOutLater(_ spread: SpreadStore, _ key: DocumentKey)
        async throws
    {
        let other = try SpreadStore.another(spread.settings)
        let further = try spread.connect("two")
        try further.execute("BEGIN; UPDATE account SET last_change = last_change + 1")
        let changes = [StorageChange.putDocument(Document(key, value: "late"))]
        _ = try Deed(
            changes, of: ChangeSet([.destroyDocument(DocumentKey("x", "y", accountID: Id("b")))]), on: further
        )
        try further.execute("COMMIT")
        _ = try await other.open()
        try await polling(until: "the deed is carried out") { try await other.document(key)?.value == "late" }
        await other.close()
    }

    @Test func aStoppedServerStopsOnlyItsAccounts() async throws {
        let servers = try ["home", "two", "three"].map { _ in
            try TestServer("-c listen_addresses='' -c fsync=off")
        }
        let spread = try SpreadStore(on: servers)
        let store = spread.store
        _ = try await store.open()
        try await spread.add("a", "b", "c")
        try await spread.place(Id("b"), on: "two")
        try await spread.place(Id("c"), on: "three")
        for account in ["a", "b", "c"] {
            _ = try await store.commit(ChangeSet([SpreadStore.email("m", in: account)]))
        }
        let query = EmailQuery(in: ["a", "b", "c"].map { Id($0) }, limit: 10)
        let whole = try await store.queryEmails(query)
        try servers[1].stop()
        try await Self.expectThatOthersDoNotWait(store, query)
        let error = await #expect(throws: StorageError.self) {
            try await store.commit(ChangeSet([SpreadStore.email("n", in: "b")]))
        }
        guard case .unreachable(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("server “two”: "), "\(reason)")
        let part = try await store.queryEmails(query)
        #expect(part.hits.count == 4)
        #expect(part.queryState != whole.queryState)
        #expect(try await store.accounts().count == 3)
        #expect(
            try await store.check().contains { $0.hasPrefix("Its accounts cannot be used: server “two”: ") })
        // A start without it is a start all the same.
        let other = try SpreadStore.another(spread.settings)
        #expect(try await other.open() == .ready)
        #expect(try await other.queryEmails(query).hits.count == 4)
        let news = other.statesOfOthers()
        try servers[1].startAgain()
        for await states in news where states.contains(where: { $0.accountID == Id("b") }) { break }
        #expect(try await other.queryEmails(query).hits.count == 5)
        // The other kernel can know later that the server is back.
        let late = ChangeSet([SpreadStore.email("n", in: "b")])
        _ = try await polling(for: "the server is back") { try? await store.commit(late) }
        await other.close()
        await store.close()
    }

    /// Lists of all accounts wait for the server, which may be back within seconds.
    private static func expectThatOthersDoNotWait(
        _ store: PostgreSQLStorage, _ query: EmailQuery
    ) async throws {
        let answered = Watched(0)
        let lists = (0..<8).map { _ in
            Task {
                let hits = try await store.queryEmails(query).hits
                answered.withLock { $0 += 1 }
                return hits
            }
        }
        for account in ["a", "c"] {
            _ = try await store.commit(ChangeSet([SpreadStore.email("n", in: account)]))
            #expect(try await store.emails([Id("n")], in: Id(account)).count == 1)
        }
        #expect(answered.value == 0, "accounts on other servers waited")
        for list in lists {
            #expect(try await list.value.allSatisfy { $0.accountID != Id("b") })
        }
    }

    @Test func settingsThatDoNotFitTheServersAreExplained() async throws {
        let spread = try SpreadStore()
        _ = try await spread.store.open()
        try await spread.add("b")
        try await spread.place(Id("b"), on: "two")
        await spread.store.close()
        let home = try ServerSettings(spread.settings).connection
        let further = try ServerSettings(spread.settings).further["two"] ?? ""
        for (values, words) in [
            (["connection": .string(home)], "the setting “servers” is missing"),
            (["connection": .string(further)], "The database is the server “two” of a store"),
        ] as [([String: JSONValue], String)] {
            let error = await #expect(throws: StorageError.self) {
                try await SpreadStore.another(PluginSettings(values)).open()
            }
            #expect("\(String(describing: error))".contains(words))
        }
    }

    private static func sighting(_ address: String, _ number: Int) -> ContactSighting {
        ContactSighting(
            address: EmailAddress(name: "Anna \(number)", email: address),
            seenAt: Date(timeIntervalSince1970: Double(number)))
    }

    private static func emails(_ connection: Connection) throws -> Int {
        try connection.first("SELECT count(*) FROM email") { $0.int(0) } ?? -1
    }
}
