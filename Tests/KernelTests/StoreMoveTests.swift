import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Store
import Synchronization
import TestSupport
import Testing

@testable import Care

@Suite("Mail moves from one store to another") struct StoreMoveTests {
    /// Two stores, of which the first has everything.
    private struct Scene {
        let oldDisk = MemoryStorage.Disk()
        let disk = MemoryStorage.Disk()
        let old: MemoryStorage
        let source: MailStore
        let destination: MailStore

        init(emails: Int = 450) async throws {
            old = MemoryStorage(on: oldDisk)
            source = MailStore(old)
            _ = try await source.open()
            try await MovedContent.fill(source, emails: emails)
            destination = MailStore(MemoryStorage(on: disk))
            _ = try await destination.open()
        }

        /// The new store, with a hook before each call.
        func hooked(
            _ before: @escaping @Sendable (String) throws(StorageError) -> Void
        ) async throws -> MailStore {
            let store = MailStore(
                InterceptedStorage(MemoryStorage(on: disk)) { call async throws(StorageError) in
                    try before(call)
                })
            _ = try await store.open()
            return store
        }

        func move(to other: MailStore? = nil) -> StoreMove {
            StoreMove(
                from: .init(id: "old", name: "Old", mail: source, patience: .zero),
                to: .init(id: "new", name: "New", mail: other ?? destination))
        }
    }

    @Test func everythingIsMoved() async throws {
        let scene = try await Scene()
        let steps = Mutex<[StoreMove.Step]>([])
        let result = try await scene.move().run { step in steps.withLock { $0.append(step) } }
        #expect(result.differences == [])
        #expect(result.rows.allSatisfy { $0.source > 0 && $0.isEqual })
        #expect(
            result.rows.filter { $0.name != "Conversations" }.allSatisfy { $0.source == $0.destination })
        #expect(steps.withLock { $0.contains(.moving(done: 455, total: 455)) })
        #expect(steps.withLock { $0.last } == .comparing(done: 910, total: 910))
        try await expectSameMail(scene)
        try await expectSameRest(scene)
        #expect(try await StoreMove.unfinishedSource(in: scene.destination) == nil)
    }

    private func expectSameMail(_ scene: Scene) async throws {
        let (old, new) = (scene.source.read, scene.destination.read)
        #expect(try await Set(new.accounts()) == Set(old.accounts()))
        for id in [MovedContent.ada, MovedContent.bob] {
            let query = EmailQuery(in: [id], limit: 1_000)
            let ids = try await old.queryEmails(query).hits.map(\.emailID)
            #expect(try await new.queryEmails(query).hits.map(\.emailID) == ids)
            let (before, after) = (try await old.emails(ids, in: id), try await new.emails(ids, in: id))
            #expect(before.map(\.email) == after.map(\.email))
            #expect(Self.conversations(before) == Self.conversations(after))
            #expect(try await new.mailboxes(nil, in: id) == old.mailboxes(nil, in: id))
            #expect(try await new.identities(nil, in: id) == old.identities(nil, in: id))
            #expect(try await Set(new.remoteRefs(of: ids, in: id)) == Set(old.remoteRefs(of: ids, in: id)))
            #expect(
                try await Set(scene.destination.insights.insights(of: ids, in: id))
                    == Set(scene.source.insights.insights(of: ids, in: id)))
            for email in ids.prefix(20) {
                #expect(try await new.body(of: email, in: id) == old.body(of: email, in: id))
            }
        }
        #expect(try await new.contacts(matching: "", limit: 99) == old.contacts(matching: "", limit: 99))
    }

    private func expectSameRest(_ scene: Scene) async throws {
        let (old, new) = (scene.source.read, scene.destination.read)
        let ada = MovedContent.ada
        for collection in ["draft", "upload", "sync-cursor", "preference"] {
            for id in [nil, ada, MovedContent.bob] {
                #expect(
                    try await scene.destination.allDocuments(in: collection, accountID: id)
                        == scene.source.allDocuments(in: collection, accountID: id))
            }
        }
        for blob in ["U1", "U2", "snapshot", "Be1"] {
            #expect(try await new.blobInfo(Id(blob), in: ada) == old.blobInfo(Id(blob), in: ada))
        }
        #expect(try await new.blobInfo(Id("Be2"), in: ada) == nil)
        let size = MovedContent.largeBlob.count
        #expect(try await new.readBlob(Id("U1"), in: ada, offset: 0, count: size) == MovedContent.largeBlob)
        var sent = try await old.submissions(nil, in: ada)
        sent[0].threadID = try await new.emails([Id("e0")], in: ada).first?.threadID
        #expect(try await new.submissions(nil, in: ada) == sent)
    }

    private static func conversations(_ emails: [StoredEmail]) -> Set<Set<Id<Email>>> {
        Set(Dictionary(grouping: emails, by: \.threadID).values.map { Set($0.map(\.email.id)) })
    }

    /// As a program that is killed between two calls.
    @Test(arguments: ["commit", "writeBlob", "body"])
    func whatIsInterruptedGoesOn(_ call: String) async throws {
        let scene = try await Scene()
        var tries = 0
        var result: MoveResult?
        while result == nil {
            tries += 1
            let left = Mutex(call == "body" && tries > 1 ? .max : 2)
            let store = try await scene.hooked { name throws(StorageError) in
                let isOver =
                    name == call
                    && left.withLock { left in
                        left -= 1
                        return left < 0
                    }
                if isOver { throw .unreachable(reason: "killed") }
            }
            do {
                result = try await scene.move(to: store).run { step in #expect(step != .startsAgain) }
            } catch StorageError.unreachable {
                #expect(try await StoreMove.unfinishedSource(in: scene.destination) == "old" || tries == 1)
            }
            await store.close()
        }
        #expect(result?.differences == [])
        #expect(tries > 1)
        try await expectSameMail(scene)
        try await expectSameRest(scene)
    }

    @Test func aChangedStoreIsMovedFromTheBeginning() async throws {
        let scene = try await Scene()
        try await interrupt(scene)
        try await scene.source.commit([.destroyEmail(Id("e7"), in: MovedContent.ada)])
        let steps = Mutex<[StoreMove.Step]>([])
        let result = try await scene.move().run { step in steps.withLock { $0.append(step) } }
        #expect(steps.withLock { $0.first } == .startsAgain)
        #expect(result.isEqual)
        try await expectSameMail(scene)
    }

    /// Stops a move in the middle of the messages.
    private func interrupt(_ scene: Scene) async throws {
        let commits = Mutex(0)
        let store = try await scene.hooked { name throws(StorageError) in
            guard name == "commit" else { return }
            let count = commits.withLock { count in
                count += 1
                return count
            }
            // The note, two accounts and 200 emails came before.
            if count == 5 { throw .full }
        }
        await #expect(throws: StorageError.full) { try await scene.move(to: store).run { _ in } }
        #expect(try await store.count(EmailQuery(in: [MovedContent.ada])) == 200)
        await store.close()
    }

    @Test func aStoreWithMailIsNotTouched() async throws {
        let scene = try await Scene(emails: 1)
        try await MovedContent.fill(scene.destination, emails: 2)
        await #expect(throws: MoveProblem.notEmpty(id: "new", name: "New")) {
            try await scene.move().run { _ in }
        }
        #expect(try await scene.destination.count(EmailQuery(in: [MovedContent.ada])) == 4)
    }

    @Test func aStoreThatIsInUseAfterAMoveIsNotTouched() async throws {
        let scene = try await Scene(emails: 1)
        #expect(try await scene.move().run { _ in }.isEqual)
        // The program was killed before the note was removed. Both have changed since.
        for store in [scene.source, scene.destination] {
            try await store.commit([.destroyEmail(Id("e0"), in: MovedContent.ada)])
        }
        await #expect(throws: MoveProblem.notEmpty(id: "new", name: "New")) {
            try await scene.move().run { _ in }
        }
        try await scene.move().finish()
        #expect(try await scene.destination.read.document(DocumentKey("storage-move", "progress")) == nil)
    }

    @Test func theSettingsOfAnEmptyStoreAreReplaced() async throws {
        let scene = try await Scene(emails: 1)
        let old = Document(DocumentKey("preference", "old"), value: true)
        try await scene.destination.commit([.putDocument(old)])
        #expect(try await scene.move().run { _ in }.isEqual)
        #expect(try await scene.destination.read.document(old.key) == nil)
    }

    @Test func theMovesOfTwoStoresAreNotMixed() async throws {
        let scene = try await Scene()
        try await interrupt(scene)
        let other = StoreMove(
            from: .init(id: "third", name: "Third", mail: scene.source),
            to: .init(id: "new", name: "New", mail: scene.destination))
        await #expect(throws: MoveProblem.otherMove(from: "old", id: "new")) {
            try await other.run { _ in }
        }
    }

    @Test func aDifferenceIsNamed() async throws {
        let scene = try await Scene(emails: 12)
        #expect(try await scene.move().run { _ in }.isEqual)
        let update = EmailUpdate(Id("e3"), in: MovedContent.ada, addKeywords: [.answered])
        try await scene.destination.commit([.updateEmail(update)])
        let changed = try await scene.move().run { _ in }
        #expect(
            changed.differences == [
                "Messages of ada@example.org: 14 in both stores, with different content."
            ])
        try await scene.destination.commit([
            .destroyEmail(Id("e3"), in: MovedContent.ada),
            .destroyDocument(DocumentKey("preference", "p1")),
        ])
        let lost = try await scene.move().run { _ in }.differences
        #expect(lost.contains("Messages of ada@example.org: 14 in “Old”, 13 in “New”."))
        #expect(lost.contains("Drafts, settings and notes: 450 in “Old”, 449 in “New”."))
    }

    @Test func aStoreInUseElsewhereIsNotMoved() async throws {
        let scene = try await Scene(emails: 1)
        let beside = MemoryStorage(on: scene.oldDisk)
        _ = beside.open()
        _ = try beside.takeLease(of: MovedContent.ada)
        await #expect(throws: MoveProblem.inUse(name: "Old")) { try await scene.move().run { _ in } }
    }

    @Test func aStoreThatChangesMeanwhileIsNotSwitched() async throws {
        let scene = try await Scene(emails: 1)
        await #expect(throws: MoveProblem.changed(name: "Old")) {
            let source = scene.old
            let wasChanged = Mutex(false)
            _ = try await scene.move().run { step in
                guard case .comparing = step, !wasChanged.withLock({ $0 }) else { return }
                wasChanged.withLock { $0 = true }
                let change = StorageChange.putDocument(Document(DocumentKey("preference", "new"), value: 1))
                _ = try? source.commit(ChangeSet([change]))
            }
        }
        #expect(try await StoreMove.unfinishedSource(in: scene.destination) == "old")
    }

    @Test func whatAStoreCannotKeepIsLeftBehind() async throws {
        let scene = try await Scene(emails: 5)
        let bare = MailStore(
            InterceptedStorage(MemoryStorage(), hasParts: false) { (_) async throws(StorageError) in })
        _ = try await bare.open()
        let move = scene.move(to: bare)
        #expect(move.leavesInsights)
        #expect(try await move.run { _ in }.isEqual)
    }
}
