import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Accounts
@testable import Mail

@Suite("An account moves to another place, and its mail stays", .timeLimit(.minutes(5)))
struct FormerPlaceTests {
    private static let layouts: [(MemoryMailServer.Layout, MemoryMailServer.Layout)] = [
        (.folders, .labels), (.labels, .folders), (.folders, .folders),
    ]

    /// ACC-96.
    @Test(arguments: layouts) func everyMessageIsRecognized(
        _ from: MemoryMailServer.Layout, _ to: MemoryMailServer.Layout
    ) async throws {
        let scene = try await PlaceScene(from, to: to)
        let (test, ids) = (scene.test, try await scene.test.emailIDs())
        let before = try await scene.account
        try await scene.move()
        #expect(try await test.emailIDs() == ids)
        let after = try await scene.account
        #expect(after.pluginID == PlacesProvider.pluginID && after.settings["server"] == "new")
        #expect(after.id == before.id && after.addedAt == before.addedAt)
        #expect(try await scene.place() == nil)
        // Each email is the message that it was, though other messages have these names here.
        for id in ids {
            let email = try await test.email(id)
            let bytes = try await test.kernel.blobs.message(email.blobID, in: test.ada)
            let there = try #require(PlaceScene.message(email.header.messageID[0], at: scene.new))
            #expect(bytes == there.bytes && email.keywords == there.keywords)
        }
        // What is undone is done once more.
        try await scene.moveBack()
        #expect(try await test.emailIDs() == ids)
        scene.old.deliver(PlaceScene.made("late"), to: PlaceScene.ada)
        try await test.wait(for: "new mail at the old server") {
            await test.settle()
            return try await scene.id(of: "late@example.org") != nil
        }
        await test.kernel.stop()
    }

    /// ACC-97: what waits at the old place is done at the new one.
    @Test(arguments: layouts) func changesThatWaitAreMadeThere(
        _ from: MemoryMailServer.Layout, _ to: MemoryMailServer.Layout
    ) async throws {
        let scene = try await PlaceScene(from, to: to)
        let test = scene.test
        let starred = try #require(try await scene.id(of: "fill-1@example.org"))
        let destroyed = try #require(try await scene.id(of: "fill-2@example.org"))
        scene.old.setOutage(.offline)
        let changes = try await test.call(
            "Email/set",
            [
                "update": [starred.rawValue: ["keywords/$flagged": true]],
                "destroy": [.string(destroyed.rawValue)],
            ])
        #expect(changes["destroyed"].arrayValue?.count == 1, "\(changes.arguments)")
        try await scene.move()
        try await test.wait(for: "both changes at the new server") {
            await test.settle()
            return PlaceScene.message("fill-1@example.org", at: scene.new)?.keywords.contains(.flagged)
                == true
                && PlaceScene.message("fill-2@example.org", at: scene.new) == nil
        }
        #expect(try await test.emailIDs().count == 11)
        #expect(scene.new.messages(of: PlaceScene.ada).count == 11)
        #expect(try await PendingChanges(store: test.kernel.store, accountID: test.ada).all().isEmpty)
        await test.kernel.stop()
    }

    /// ACC-98: what differs, what came and what is gone.
    @Test func whatTheNewPlaceHasCounts() async throws {
        let scene = try await PlaceScene(.folders, to: .labels)
        let test = scene.test
        let gone = try #require(PlaceScene.message("fill-3@example.org", at: scene.new))
        let other = try #require(PlaceScene.message("fill-4@example.org", at: scene.new))
        let kept = try await scene.id(of: "fill-5@example.org")
        _ = scene.new.apply(.destroy([gone.address, other.address]), in: PlaceScene.ada)
        // The same Message-ID, and another message.
        scene.new.deliver(
            Data("Subject: x\r\nMessage-ID: <fill-4@example.org>\r\n\r\nAnother.\r\n".utf8),
            to: PlaceScene.ada)
        scene.new.deliver(PlaceScene.made("more"), to: PlaceScene.ada)
        // Two copies of one message, which cannot be told apart.
        for server in [scene.old, scene.new] {
            for _ in 1...2 { server.deliver(PlaceScene.made("twice"), to: PlaceScene.ada) }
        }
        await test.read()
        try await scene.move()
        #expect(try await scene.id(of: "fill-3@example.org") == nil)
        #expect(try await scene.id(of: "fill-5@example.org") == kept)
        let subjects = try await test.storage.emails(test.emailIDs(), in: test.ada).map(
            \.email.header.subject)
        #expect(subjects.count == scene.new.messages(of: PlaceScene.ada).count)
        #expect(subjects.count { $0 == "twice" } == 2 && subjects.contains("x") && subjects.contains("more"))
        await test.kernel.stop()
    }

    /// ACC-98: mail that is still on its way to the new server is not removed here.
    @Test func anEmptyServerTakesNothingAway() async throws {
        let scene = try await PlaceScene(.folders, to: .labels)
        let (test, ids) = (scene.test, try await scene.test.emailIDs())
        let all = scene.new.messages(of: PlaceScene.ada)
        _ = scene.new.apply(.destroy(all.map(\.address)), in: PlaceScene.ada)
        try await scene.move()
        #expect(try await test.emailIDs() == ids)
        #expect(try await scene.place()?.phase == .held)
        let notices = try await test.kernel.store.allDocuments(in: "notice")
        #expect(notices.contains { "\($0.value)".contains("not found at its new server") })
        scene.new.take(all, to: PlaceScene.ada)
        try await test.wait(for: "all to be found") {
            await test.read()
            return try await scene.place() == nil
        }
        #expect(try await test.emailIDs() == ids)
        await test.kernel.stop()
    }

    /// ACC-99.
    @Test func aPlaceThatCannotBeReadIsNotMovedTo() async throws {
        let scene = try await PlaceScene(.folders, to: .labels)
        let before = try await scene.account
        scene.script.change { $0.mailboxErrors = [.refused("No mailboxes for you.")] }
        await #expect(throws: AccountError.refused("No mailboxes for you.")) { try await scene.move() }
        #expect(try await scene.account == before)
        #expect(try await scene.place() == nil)
        let own = PlacesProvider.candidate("new", of: "ada@example.org")
        try await scene.test.kernel.accounts.add(own, of: PlacesProvider.pluginID)
        await #expect(throws: AccountProblem.alreadyThere(PlaceScene.ada)) { try await scene.move() }
        await scene.test.kernel.stop()
    }

    /// ACC-99.
    @Test(arguments: [MemoryMailServer.Layout.labels, .folders])
    func killedAtAnyWriteTheMoveGoesOnOrHasNotBegun(_ layout: MemoryMailServer.Layout) async throws {
        let writes = try await Sweep.calls(every: 2) { number in
            let (disk, secrets) = (MemoryStorage.Disk(), SecretDrawers())
            let first = try await PlaceScene(
                layout == .labels ? .folders : .labels, to: layout, messages: 7, on: disk, secrets: secrets)
            let ids = try await first.test.emailIDs()
            disk.stop(afterWrites: number - 1)
            try? await first.move()
            await first.test.kernel.stop()
            let wasKilled = disk.goOn()
            let second = try await first.again(on: disk, secrets)
            await second.test.settle()
            if try await second.account.pluginID == TestKernel.pluginID { try await second.move() }
            try await second.test.wait(for: "the new place") {
                await second.test.settle()
                return try await second.place() == nil
            }
            #expect(try await second.account.settings["server"] == "new")
            #expect(try await second.test.emailIDs() == ids, "killed at write \(number)")
            await second.test.kernel.stop()
            return wasKilled
        }
        #expect(writes > 6)
    }

    /// ACC-99: another plugin's way to sign in is offered, with what the service says of itself.
    @Test func theOtherWayBeginsWithWhatTheServiceSays() async throws {
        let script = Script()
        script.change { $0.jmapSessionURL = URL(string: "https://jmap.example.org/session") }
        let new = MemoryMailServer(logins: MemoryAccountPlugin.logins, clock: ManualClock())
        let test = try await TestKernel(
            providers: [PlacesProvider.pluginID: PlacesProvider(["new": new], Script())],
            wrap: { ScriptedSession($0, script) })
        let signIns = test.kernel.signIns
        let redirect = try #require(URL(string: "http://127.0.0.1/"))
        let account = test.accounts[0]
        let setup = "\(PlacesProvider.pluginID)/places"
        let begun = try await signIns.begin(changing: account, setup: setup, redirect: redirect)
        let form = try #require(await signIns.settled(begun.id, within: 10))
        #expect(form.fields?.map(\.initialValue) == ["https://jmap.example.org/session"])
        try await signIns.answer(begun.id, with: ["server": Secret("new")])
        try await test.wait(for: "the sign-in") { await signIns.signIn(begun.id)?.phase == .done }
        let moved = try #require(try await test.storage.accounts().first { $0.id == account.id })
        #expect(moved.pluginID == PlacesProvider.pluginID)
        await test.kernel.stop()
    }
}
