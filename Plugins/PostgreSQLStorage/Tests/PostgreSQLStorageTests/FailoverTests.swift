import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "A store with several servers outlives each of them", .serialized,
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct FailoverTests {
    let cluster: Cluster

    init() throws {
        cluster = try Cluster.shared.get()
    }

    @Test func aKilledPrimaryIsReplaced() async throws {
        let database = try OwnDatabase(on: cluster.connection)
        try await database.withStore { store in
            let counting = Counting(store)
            try await counting.count(to: 20)
            async let more: Void = counting.count(to: 200)
            let (old, new) = try cluster.failOver()
            try await more
            try await counting.expectEachOnce()
            try cluster.mend(old, new)
            try await counting.count(to: 210)
        }
    }

    @Test func aHungPrimaryIsReplacedAndNotUsedWhenItIsBack() async throws {
        let database = try OwnDatabase(on: cluster.connection)
        try await database.withStore { store in
            let counting = Counting(store)
            try await counting.count(to: 20)
            let old = try cluster.primary()
            try cluster.signal(old, SIGSTOP)
            let new = try cluster.mostAdvanced(of: Cluster.servers.filter { $0 != old })
            try cluster.promote(new)
            let start = ContinuousClock.now
            try await counting.expectEachOnce()
            #expect(ContinuousClock.now - start < .seconds(15))
            try await counting.count(to: 40)
            try cluster.signal(old, SIGCONT)
            // Connections to the old one still work, and another kernel finds it first.
            for _ in 0..<10 { try await counting.expectEachOnce() }
            try await counting.count(to: 60)
            await store.close()
            _ = try await store.open()
            try await counting.expectEachOnce()
            try cluster.kill9(old)
            try cluster.mend(old, new)
        }
    }

    @Test func aPrimaryMayRestart() async throws {
        let database = try OwnDatabase(on: cluster.connection)
        try await database.withStore { store in
            let counting = Counting(store)
            try await counting.count(to: 20)
            async let more: Void = counting.count(to: 100)
            let primary = try cluster.primary()
            try cluster.stop(primary)
            try cluster.start(primary)
            try await more
            try await counting.expectEachOnce()
        }
    }

    @Test func withoutStandbysNothingIsConfirmed() async throws {
        let database = try OwnDatabase(patience: 4, on: cluster.connection)
        try await database.withStore { store in
            let counting = Counting(store)
            try await counting.count(to: 5)
            let primary = try cluster.primary()
            let standbys = Cluster.servers.filter { $0 != primary }
            for standby in standbys { try cluster.stop(standby) }
            for _ in 0..<2 {
                let error = await #expect(throws: StorageError.self) { try await counting.count(to: 6) }
                guard case .unreachable(let reason) = error else {
                    Issue.record("a commit without a standby: \(error as Any)")
                    return
                }
                #expect(reason.contains("waits for a standby"), "\(reason)")
            }
            #expect(try await store.accounts().count == 1)
            for standby in standbys { try cluster.start(standby) }
            for standby in standbys { try cluster.awaitStreaming(standby, from: primary) }
            try await counting.count(to: 10)
            try await counting.expectAll()
        }
    }

    @Test func aCancelledWaitIsNoConfirmation() async throws {
        let database = try OwnDatabase(on: cluster.connection)
        try await database.withStore { store in
            let counting = Counting(store)
            try await counting.count(to: 5)
            let primary = try cluster.primary()
            let standbys = Cluster.servers.filter { $0 != primary }
            for standby in standbys { try cluster.stop(standby) }
            async let more: Void = counting.count(to: 6)
            let administrator = try cluster.connect(to: primary)
            var cancelled = 0
            try await polling(until: "two commits wait for a standby") {
                cancelled += try administrator.rows(
                    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
                    once: true
                ) { _ in 1 }.count
                return cancelled >= 2
            }
            #expect(counting.confirmed == 5)
            for standby in standbys { try cluster.start(standby) }
            try await more
            try await counting.expectEachOnce()
            for standby in standbys { try cluster.awaitStreaming(standby, from: primary) }
        }
    }

    @Test(arguments: ConformanceCase.all(.storage).filter { $0.name == "randomWorkGivesTheSameAnswers1" })
    func aFailoverInTheMiddleChangesNoAnswer(_ promise: ConformanceCase) async throws {
        let cluster = cluster
        let database = try OwnDatabase(on: cluster.connection)
        let settings = PluginSettings(["connection": .string(database.connection)])
        let subject = ConformanceSubject { host in
            .storage(PostgreSQLStorage(host, try ServerSettings(settings)))
        }
        async let verdict = promise.check(subject)
        try await Self.awaitCommits(30, in: database)
        let (old, new) = try cluster.failOver()
        #expect(try await verdict == .kept)
        try cluster.mend(old, new)
    }

    private static func awaitCommits(_ count: Int, in database: OwnDatabase) async throws {
        let find = "SELECT coalesce(max(last_change), 0) FROM account"
        try await polling(until: "\(count) commits are made") {
            let made = try? database.connect().first(find, once: true, { $0.int(0) })
            return made ?? 0 >= count
        }
    }
}

/// Commits that can be counted: each adds an email, and counts a contact once.
private final class Counting: Sendable {
    private let store: PostgreSQLStorage
    private let last = Watched(0)

    init(_ store: PostgreSQLStorage) {
        self.store = store
    }

    /// The last number whose commit has returned.
    var confirmed: Int { last.value }

    func count(to end: Int) async throws {
        while confirmed < end {
            let number = confirmed + 1
            let sighting = ContactSighting(
                address: EmailAddress(email: "anna@example.org"), seenAt: Date(timeIntervalSince1970: 0))
            _ = try await store.commit(
                ChangeSet([
                    OwnDatabase.email("e\(number)"), .countContacts([sighting], in: OwnDatabase.home),
                ]))
            last.withLock { $0 = number }
        }
    }

    /// Every commit that was confirmed is there, once.
    func expectAll() async throws {
        let ids = (1...confirmed).map { Id<Email>("e\($0)") }
        let found = try await store.emails(ids, in: OwnDatabase.home).count
        #expect(found == confirmed)
    }

    func expectEachOnce() async throws {
        try await expectAll()
        #expect(try await store.contacts(matching: "anna", limit: 1).first?.frequency == confirmed)
    }
}
