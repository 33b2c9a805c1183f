import CrashSupport
import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "An account is moved to another server while it is in use", .serialized,
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct MoveTests {
    private static let b = Id<Account>("b")

    @Test func twoStoresWriteWhileItIsMoved() async throws {
        let spread = try SpreadStore()
        let other = try SpreadStore.another(spread.settings)
        _ = try await spread.store.open()
        _ = try await other.open()
        try await spread.add("a", "b")
        let start = try await other.state(of: .email, in: Self.b)
        let isOver = Watched(false)
        let writing = [spread.store, other].enumerated().map { number, store in
            Task {
                var count = 0
                while !isOver.withLock({ $0 }) {
                    try await Self.write(count, as: "w\(number)", to: store)
                    count += 1
                }
                return count
            }
        }
        for server in ["two", "three", "home", "three"] { try await spread.place(Self.b, on: server) }
        isOver.withLock { $0 = true }
        var total = 0
        for (number, task) in writing.enumerated() {
            let count = try await task.value
            total += count
            for store in [spread.store, other] { try await Self.expect(count, of: "w\(number)", in: store) }
        }
        #expect(total > 20)
        let changes = try await other.changes(of: .email, in: Self.b, since: start, limit: 100_000)
        #expect(changes.created.count == total)
        #expect(try await spread.store.mailboxes(nil, in: Self.b).first?.counts.totalEmails == total)
        #expect(try await spread.store.check() == [])
        for server in ["home", "two"] {
            let left = try spread.connect(server).first("SELECT count(*) FROM email WHERE account = 2") {
                $0.int(0)
            }
            #expect(left == 0, "rows were left on \(server)")
        }
        await other.close()
        await spread.store.close()
    }

    private static func write(_ count: Int, as writer: String, to store: PostgreSQLStorage) async throws {
        let id = Id<Email>("\(writer)-\(count)")
        let insight = EmailInsight(
            emailID: id, accountID: b, modelID: "model", category: .social, embedding: [1, Float(count)])
        _ = try await store.commit(
            ChangeSet([
                SpreadStore.email(id.rawValue, in: b.rawValue, Double(count), "word\(count) of \(writer)"),
                .putRemote(
                    RemoteRef(emailID: id, accountID: b, feed: FeedID("f"), remoteID: Id(id.rawValue))),
                .putInsight(insight),
                .putDocument(Document(DocumentKey(writer, "number"), value: .number(Double(count)))),
            ]))
        guard count > 2 else { return }
        // The one before is changed, the one before that removed and written again.
        let read = EmailUpdate(Id("\(writer)-\(count - 1)"), in: b, addKeywords: [.seen])
        _ = try await store.commit(
            ChangeSet([.updateEmail(read), .destroyEmail(Id("\(writer)-\(count - 2)"), in: b)]))
        _ = try await store.commit(
            ChangeSet([
                SpreadStore.email(
                    "\(writer)-\(count - 2)", in: b.rawValue, Double(count - 2), "again by \(writer)")
            ]))
        let blob = try await store.writeBlob(
            BlobInfo(id: Id("\(writer)-\(count % 3)"), accountID: b, type: "image/png", retention: .kept))
        try await blob.write(Data(repeating: UInt8(count % 256), count: 1_000))
        try await blob.finish()
    }

    private static func expect(_ count: Int, of writer: String, in store: PostgreSQLStorage) async throws {
        let ids = (0..<count).map { Id<Email>("\(writer)-\($0)") }
        #expect(try await store.emails(ids, in: b).count == count)
        let query = EmailQuery(in: [b], filter: .text("again \(writer)"), limit: 100_000)
        #expect(try await store.queryEmails(query).hits.count == max(0, count - 3))
        #expect(try await store.document(DocumentKey(writer, "number"))?.value.intValue == count - 1)
        let blob = Id<Blob>("\(writer)-\((count - 1) % 3)")
        let bytes = try await store.readBlob(blob, in: b, offset: 0, count: 2_000)
        #expect(bytes == Data(repeating: UInt8((count - 1) % 256), count: 1_000))
    }

    /// A kernel that has not heard of the move finds the account all the same, and its lease with it.
    @Test func theLeaseGoesWithTheAccount() async throws {
        let spread = try SpreadStore()
        let other = try SpreadStore.another(spread.settings)
        _ = try await spread.store.open()
        _ = try await other.open()
        try await spread.add("b")
        let lease = try #require(try await other.takeLease(of: Self.b))
        try await spread.place(Self.b, on: "two")
        #expect(try await spread.store.takeLease(of: Self.b) == nil)
        _ = try await other.commit(ChangeSet([SpreadStore.email("m", in: "b")], leases: [lease]))
        let lost = StoreLease(accountID: Self.b, fence: lease.fence - 1)
        await #expect(throws: StorageError.leaseLost(lost)) {
            try await other.commit(ChangeSet([SpreadStore.email("n", in: "b")], leases: [lost]))
        }
        await other.close()
        await spread.store.close()
    }

    @Test func aMoveThatIsKilledGoesOn() async throws {
        let spread = try SpreadStore()
        _ = try await spread.store.open()
        try await spread.add("b")
        for page in 0..<10 {
            let emails = (0..<100).map {
                SpreadStore.email("e\(page)-\($0)", in: "b", Double($0), "word\($0)")
            }
            _ = try await spread.store.commit(ChangeSet(emails))
        }
        await spread.store.close()
        var (kills, target) = (0, "two")
        while kills < 8 {
            try spread.want(Self.b, on: target)
            // The right to move it ends some seconds after the kernel that had it.
            try spread.connect().execute("UPDATE account_place SET mover = NULL")
            let mover = try Self.mover(spread)
            try #require(await mover.hasWritten(lines: 1))
            // From the beginning of the move to its end.
            try await mover.killAtAnyMoment(within: .milliseconds(900))
            kills += 1
            let isThere = try spread.connect().first("SELECT server = wanted FROM account_place") {
                $0.flag(0)
            }
            if isThere == true { target = target == "two" ? "three" : "two" }
        }
        try spread.connect().execute("UPDATE account_place SET mover = NULL")
        _ = try await spread.store.open()
        try await spread.awaitPlaces()
        #expect(try await spread.store.check() == [])
        #expect(try await spread.store.mailboxes(nil, in: Self.b).first?.counts.totalEmails == 1_000)
        let query = EmailQuery(in: [Self.b], filter: .text("word7"), limit: 200)
        #expect(try await spread.store.queryEmails(query).hits.count == 110)
        await spread.store.close()
    }

    private static func mover(_ spread: SpreadStore) throws -> Child {
        let settings = try ServerSettings(spread.settings)
        let folder = try OwnDatabase.newFolder().path
        return try Child(
            "postgresql-storage-writer",
            [
                settings.connection, "-", folder, settings.further["two"] ?? "",
                settings.further["three"] ?? "",
            ])
    }

    /// A few, and with `make soak` all but those that commit to two accounts at once.
    private static let promises = ConformanceCase.all(.storage).filter {
        let few = ["anEmptyFolderBecomesAStore", "severalAccountsAreOneList", "contactsOfAccountsMerge"]
        guard ProcessInfo.processInfo.environment["SERVER_KILLS"] != nil else {
            return few.contains($0.name) || $0.name.hasPrefix("randomWork")
        }
        return !["accountsDoNotShareMailboxes", "accountsHaveThreadsOfTheirOwn"].contains($0.name)
    }

    /// Promises are kept while the accounts go round.
    @Test(arguments: promises) func keepsWhileMoving(_ promise: ConformanceCase) async throws {
        let spread = try Self.forPromises.get()
        let schemas = Watched<Set<String>>([])
        let subject = ConformanceSubject { host in
            let settings = try spread.settings(for: host.dataFolder)
            schemas.withLock { _ = $0.insert(settings.schema) }
            return .storage(PostgreSQLStorage(host, settings))
        }
        let moving = Task {
            let connection = try spread.connect()
            while !Task.isCancelled {
                for schema in schemas.value {
                    // Before its first opening and after its wiping it has no tables.
                    try? connection.execute(
                        """
                        UPDATE \(schema).account_place SET wanted = CASE server WHEN 'home' THEN 'two' WHEN 'two' THEN 'three'
                            ELSE 'home' END WHERE wanted = server AND leaving = ''
                        """)
                }
                // The pace at which accounts are sent on, whatever the promise does meanwhile.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        do {
            #expect(try await promise.check(subject) == .kept)
        } catch {
            // A check of the store, the last step of random work, only says that a move is on.
            #expect("\(error)".contains("is being moved from server"))
        }
        moving.cancel()
        _ = try? await moving.value
        for schema in schemas.value { try spread.drop(schema) }
    }

    private static let forPromises = Result { try SpreadStore() }
}
