import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

/// ACC-21: with permanent ids (RFC 8474), moves and renames need no guessing.
@Suite("Servers that give mailboxes and messages permanent ids") struct ObjectIDTests {
    private static let capabilities = ServerInMemory.folders + " OBJECTID"

    private func server(_ capabilities: String = capabilities) -> ServerInMemory {
        let memory = ServerInMemory.with(capabilities) { _ in }
        memory.server.change { $0.setLabels([], adds: true, ["Travel", "Work"]) }
        for number in 1...3 { memory.server.deliver(ServerInMemory.message(number), to: "Travel") }
        return memory
    }

    private func mailbox(_ name: String, _ session: IMAPAccountSession) async throws -> RemoteMailbox? {
        try await session.mailboxes().mailboxes.first { $0.name == name }
    }

    /// Another program renames it, and the program was restarted since, or not.
    @Test(arguments: [true, false]) func aRenamedMailboxKeepsItsIDAndItsMail(_ isRestarted: Bool) async throws
    {
        let memory = server()
        let first = memory.session()
        let travel = try #require(try await mailbox("Travel", first))
        #expect(travel.id == RemoteMailboxID("Travel"))
        var reader = FeedReader(FeedID("Travel"))
        try await reader.round(first)
        memory.server.change { $0.renameFolder("Travel", to: "Journeys") }
        memory.server.deliver(ServerInMemory.message(4), to: "Journeys")
        let session = isRestarted ? memory.session() : first
        #expect(try await mailbox("Journeys", session)?.id == travel.id)
        #expect(try await mailbox("Travel", session) == nil)
        try await reader.round(session)
        #expect(reader.held.count == 4 && reader.repeats == 0)
        for session in [first, session] { await session.close() }
    }

    /// Without such ids, names are ids, and a renamed mailbox is another one.
    @Test func withoutThemNamesAreIDs() async throws {
        let memory = server(ServerInMemory.folders)
        let session = memory.session()
        _ = try await session.mailboxes()
        memory.server.change { $0.renameFolder("Travel", to: "Journeys") }
        #expect(try await mailbox("Journeys", session)?.id == RemoteMailboxID("Journeys"))
        #expect(!FileManager.default.fileExists(atPath: memory.dataFolder.path))
        await session.close()
    }

    @Test func aNewMailboxWithAnOldNameIsAnotherOne() async throws {
        let memory = server()
        let session = memory.session()
        _ = try await session.mailboxes()
        memory.server.change { store in
            store.renameFolder("Travel", to: "Journeys")
            store.setLabels([], adds: true, ["Travel"])
        }
        let listing = try await session.mailboxes()
        let ids = listing.mailboxes.map(\.id)
        #expect(Set(ids).count == ids.count && Set(listing.feeds.map(\.id)).count == ids.count)
        #expect(listing.mailboxes.first { $0.name == "Journeys" }?.id == RemoteMailboxID("Travel"))
        let travel = try #require(listing.mailboxes.first { $0.name == "Travel" }?.id)
        let other = memory.session()
        #expect(try await mailbox("Travel", other)?.id == travel)
        for session in [session, other] { await session.close() }
    }

    /// The user renames it here, with what is below it.
    @Test func oneThatIsRenamedHereKeepsItsID() async throws {
        let memory = server()
        let session = memory.session()
        _ = try await session.mailboxes()
        let rename = RemoteMutation.renameMailbox(RemoteMailboxID("Travel"), name: "Journeys", parent: nil)
        #expect(try await session.apply([rename]) == [.done(newIDs: [:], mailbox: RemoteMailboxID("Travel"))])
        #expect(try await session.apply([rename]) == [.done(newIDs: [:], mailbox: RemoteMailboxID("Travel"))])
        let added = try await session.append(
            DataSource(Data(ServerInMemory.message(9).utf8)), to: RemoteMailboxID("Travel"), keywords: [],
            receivedAt: memory.clock.now, replacing: nil)
        #expect(added.address?.feed == FeedID("Travel"))
        #expect(memory.server.texts(in: "Journeys").count == 4)
        #expect(try await session.apply([.deleteMailbox(RemoteMailboxID("Travel"))]).count == 1)
        #expect(try await mailbox("Journeys", session) == nil)
        await session.close()
    }

    @Test func oneThatTheServerLeavesOutOnceKeepsItsID() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var identities = MailboxIdentities(user: "ada", host: "x.test", folder: folder)
        let name = MailboxName(wire: "A")
        let renamed = MailboxName(wire: "B")
        #expect(try identities.ids(of: [(name, "1")]) == [name: Id("A")])
        #expect(try identities.ids(of: [(renamed, "1")]) == [renamed: Id("A")])
        #expect(try identities.ids(of: [(renamed, nil)]) == [renamed: Id("A")])
        #expect(try identities.ids(of: [(renamed, "1"), (name, "1")]) == [renamed: Id("A")])
        // A damaged note is as good as none.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try Data("{".utf8).write(to: folder.appending(path: try #require(files.first)))
        var again = MailboxIdentities(user: "ada", host: "x.test", folder: folder)
        #expect(try again.ids(of: [(renamed, "1")]) == [renamed: Id("B")])
        again.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// Of two messages with one Message-ID and one size, the server knows which is where.
    @Test(arguments: [true, false]) func aTwinIsNotTakenForACopy(_ hasIDs: Bool) async throws {
        let memory = server(hasIDs ? Self.capabilities : ServerInMemory.folders)
        memory.server.deliver(ServerInMemory.message(7, text: "Alice"))
        memory.server.deliver(ServerInMemory.message(7, text: "Bobby"), to: "Travel")
        let session = memory.session()
        var reader = FeedReader(FeedID("INBOX"))
        try await reader.round(session)
        let one = RemoteAddress(feed: reader.feed, id: try #require(reader.held.keys.first))
        let add = RemoteMutation.add([one], to: RemoteMailboxID("Travel"))
        for _ in 1...2 { #expect(try await session.apply([add]) == [.done(newIDs: [:], mailbox: nil)]) }
        let there = memory.server.texts(in: "Travel").filter { $0.contains("Number 7") }
        #expect(there.count == (hasIDs ? 2 : 1))
        await session.close()
    }
}
