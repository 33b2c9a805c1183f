import CrashSupport
import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

extension FailoverTests {
    /// `make soak` asks for hundreds.
    private static let kills =
        ProcessInfo.processInfo.environment["SERVER_KILLS"].flatMap { Int($0) } ?? 20

    @Test func whateverIsKilledWhatWasConfirmedIsThereOnce() async throws {
        let database = try OwnDatabase(on: cluster.connection)
        try await database.withStore { store in
            let other = database.anotherStore()
            _ = try await other.open()
            var follower = Follower(try await other.state(of: .email, in: OwnDatabase.home))
            let writers = try ["a", "b"].map { try WritingProgram($0, database) }
            var random = SystemRandomNumberGenerator()
            for number in 0..<Self.kills {
                for writer in writers { try await writer.awaitProgress() }
                try await anyMoment(within: .milliseconds(60))
                // Each kind in turn, so that few kills have all of them.
                try await kill(number % 4, writers.randomElement(using: &random), cluster)
                try await follower.follow(other)
            }
            for writer in writers { try await writer.awaitProgress() }
            for writer in writers { try await writer.stop() }
            for writer in writers {
                try await writer.expectAll(in: store)
                try await writer.expectAll(in: other)
            }
            try await expectSame(store, other)
            try await follower.follow(other)
            let total = try await other.mailboxes(nil, in: OwnDatabase.home).first?.counts.totalEmails
            #expect(follower.created.count == total, "changes between two states are missing")
            await other.close()
        }
    }

    private func kill(_ kind: Int, _ writer: WritingProgram?, _ cluster: Cluster) async throws {
        let primary = try cluster.primary()
        let standbys = Cluster.servers.filter { $0 != primary }
        switch kind {
        case 0: try await writer?.killAndRestart()
        case 1:
            let standby = standbys.randomElement() ?? 0
            try cluster.kill9(standby)
            try cluster.start(standby)
            try cluster.awaitStreaming(standby, from: primary)
        case 2:
            try cluster.kill9(primary)
            try cluster.start(primary)
        default:
            let (old, new) = try cluster.failOver()
            try cluster.mend(old, new)
        }
    }

    private func expectSame(_ one: PostgreSQLStorage, _ other: PostgreSQLStorage) async throws {
        for type in [DataType.email, .mailbox, .documents("writer-a"), .documents("writer-b")] {
            let states = try await (
                one.state(of: type, in: OwnDatabase.home), other.state(of: type, in: OwnDatabase.home)
            )
            #expect(states.0 == states.1)
        }
        let mailboxes = try await one.mailboxes(nil, in: OwnDatabase.home)
        #expect(try await other.mailboxes(nil, in: OwnDatabase.home) == mailboxes)
    }
}

/// Reads the changes from state to state, as a client does.
private struct Follower {
    private var state: State
    private(set) var created: Set<String> = []

    init(_ state: State) {
        self.state = state
    }

    mutating func follow(_ store: PostgreSQLStorage) async throws {
        while true {
            let since = state
            let changes = try await polling(for: "the server has recovered") { () -> Changes? in
                do throws(StorageError) {
                    return try await store.changes(
                        of: .email, in: OwnDatabase.home, since: since, limit: 1_000)
                } catch .unreachable {
                    return nil
                }
            }
            created.formUnion(changes.created)
            state = changes.newState
            if !changes.hasMoreChanges { return }
        }
    }
}
