import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// What `myRights` forbids is refused at once, and not acknowledged and undone later.
@Suite("Rights in mailboxes (RFC 8621, section 2)") struct RightsTests {
    /// An account with one message in its inbox, whose mailboxes have these rights.
    private func kernel(_ rights: [Mailbox.Role: MailboxRights]) async throws -> (TestKernel, Script) {
        let script = Script()
        let named = rights.map { (RemoteMailboxID($0.key.rawValue), $0.value) }
        script.change { $0.rights = Dictionary(uniqueKeysWithValues: named) }
        return (try await TestKernel(messages: 1, wrap: { ScriptedSession($0, script) }), script)
    }

    private func expectForbidden(_ error: JSONValue?, _ place: String) {
        #expect(error?["type"] == "forbidden", "\(error ?? .null)")
        #expect(error?["description"]?.stringValue?.contains("“\(place)”") == true, "\(error ?? .null)")
    }

    @Test(
        arguments: [
            (.setSeen, ["keywords/$seen": true], ["keywords/$flagged": true]),
            (.setKeywords, ["keywords/$flagged": true], ["keywords/$seen": true]),
            (.setKeywords, ["keywords": ["$seen": true, "mine": true]], ["keywords": ["$seen": true]]),
        ] as [(MailboxRights, JSONValue, JSONValue)])
    func keywords(_ missing: MailboxRights, _ forbidden: JSONValue, _ allowed: JSONValue) async throws {
        let (test, script) = try await kernel([.inbox: .all.subtracting(missing)])
        let id = try await test.emailIDs()[0]
        _ = try await test.call("Email/set", ["update": [id.rawValue: ["keywords": [:]]]])
        let before = try await test.email(id)
        let answer = try await test.call("Email/set", ["update": [id.rawValue: forbidden]])
        expectForbidden(answer["notUpdated"][id.rawValue], "Inbox")
        #expect(answer["updated"] == .null && answer["oldState"] == answer["newState"])
        #expect(try await test.email(id) == before)
        let other = try await test.call("Email/set", ["update": [id.rawValue: allowed]])
        #expect(other["updated"].keys == [id.rawValue], "\(other.arguments)")
        await test.settle()
        #expect(script.now.applied.count <= 2)
    }

    /// The right is needed in each of the mailboxes.
    @Test func keywordsInSeveralMailboxes() async throws {
        let (test, _) = try await kernel([.archive: .all.subtracting([.setSeen, .removeItems])])
        let id = try await test.emailIDs()[0]
        let (inbox, archive) = (try await test.mailbox(.inbox), try await test.mailbox(.archive))
        let both = try await test.call(
            "Email/set", ["update": [id.rawValue: ["mailboxIds/\(archive.rawValue)": true]]])
        #expect(both["updated"].keys == [id.rawValue], "\(both.arguments)")
        let isSeen = try await test.email(id).keywords.contains(.seen)
        let seen = try await test.call(
            "Email/set", ["update": [id.rawValue: ["keywords/$seen": isSeen ? nil : true]]])
        expectForbidden(seen["notUpdated"][id.rawValue], "Archive")
        let destroyed = try await test.call("Email/set", ["destroy": [.string(id.rawValue)]])
        expectForbidden(destroyed["notDestroyed"][id.rawValue], "Archive")
        #expect(destroyed["destroyed"] == .null)
        #expect(try await test.email(id).mailboxIDs == [inbox, archive])
    }

    @Test func movesOut() async throws {
        let (test, _) = try await kernel([.inbox: .all.subtracting(.removeItems)])
        let id = try await test.emailIDs()[0]
        let (inbox, trash) = (try await test.mailbox(.inbox), try await test.mailbox(.trash))
        let moved = try await test.call(
            "Email/set", ["update": [id.rawValue: ["mailboxIds": [trash.rawValue: true]]]])
        expectForbidden(moved["notUpdated"][id.rawValue], "Inbox")
        let destroyed = try await test.call("Email/set", ["destroy": [.string(id.rawValue)]])
        expectForbidden(destroyed["notDestroyed"][id.rawValue], "Inbox")
        #expect(try await test.email(id).mailboxIDs == [inbox])
    }

    @Test func movesIn() async throws {
        let (test, _) = try await kernel([.archive: .all.subtracting(.addItems)])
        let id = try await test.emailIDs()[0]
        let archive = try await test.mailbox(.archive).rawValue
        let moved = try await test.call(
            "Email/set",
            [
                "update": [id.rawValue: ["mailboxIds/\(archive)": true]],
                "create": ["k": ["mailboxIds": [archive: true]]],
            ])
        expectForbidden(moved["notUpdated"][id.rawValue], "Archive")
        expectForbidden(moved["notCreated"]["k"], "Archive")
        let blob = try await test.upload("Subject: x\r\n\r\nx", type: "message/rfc822")
        let imported = try await test.call(
            "Email/import", ["emails": ["k": ["blobId": .string(blob), "mailboxIds": [archive: true]]]])
        expectForbidden(imported["notCreated"]["k"], "Archive")
    }

    /// No right to add to a mailbox is needed to leave an email in it.
    @Test func whatStaysInAMailboxIsNotAdded() async throws {
        let (test, _) = try await kernel([.inbox: .all.subtracting(.addItems)])
        let id = try await test.emailIDs()[0]
        let (inbox, archive) = (
            try await test.mailbox(.inbox).rawValue, try await test.mailbox(.archive).rawValue
        )
        let answer = try await test.call(
            "Email/set", ["update": [id.rawValue: ["mailboxIds": [inbox: true, archive: true]]]])
        #expect(answer["updated"].keys == [id.rawValue], "\(answer.arguments)")
    }

    /// One that is refused keeps none of the others.
    @Test func theOthersGoOn() async throws {
        let (test, _) = try await kernel([.inbox: .all.subtracting(.removeItems)])
        let kept = try await test.emailIDs()[0]
        let gone = try await test.add("Subject: x\r\n\r\nx", to: .archive)
        let answer = try await test.call("Email/set", ["destroy": [.string(kept.rawValue), .string(gone)]])
        #expect(answer["destroyed"].strings == [gone])
        expectForbidden(answer["notDestroyed"][kept.rawValue], "Inbox")
        #expect(try await test.emailIDs() == [kept])
    }

    @Test func mailboxes() async throws {
        let (script, clock) = (Script(), ManualClock())
        let server = MemoryMailServer(logins: MemoryAccountPlugin.logins, clock: clock)
        for login in server.logins {
            _ = server.apply(.createMailbox(name: "Shared", parent: nil), in: login.address)
            let shared = try #require(server.mailboxes(of: login.address).first { $0.name == "Shared" }?.id)
            _ = server.apply(.createMailbox(name: "Below", parent: shared), in: login.address)
            script.change { $0.rights[shared] = .all.subtracting([.createChild, .rename, .delete]) }
        }
        let test = try await TestKernel(clock: clock, server: server, wrap: { ScriptedSession($0, script) })
        let mailboxes = try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox)
        let ids = ["Shared", "Below"].compactMap { name in
            mailboxes.first { $0.name == name }?.id.rawValue
        }
        try #require(ids.count == 2)
        let answer = try await test.call(
            "Mailbox/set",
            [
                "create": ["c": ["name": "New", "parentId": .string(ids[0])]],
                "update": [ids[0]: ["name": "Mine"], ids[1]: ["name": "Renamed"]],
            ])
        expectForbidden(answer["notCreated"]["c"], "Shared")
        #expect(answer["notUpdated"][ids[0]]?["type"] == "forbidden")
        // It stays where it is, which takes no right there.
        #expect(answer["updated"].keys == [ids[1]], "\(answer.arguments)")
        let out = try await test.call("Mailbox/set", ["destroy": .array(ids.map { .string($0) })])
        #expect(out["destroyed"].strings == [ids[1]])
        #expect(out["notDestroyed"][ids[0]]?["type"] == "forbidden")
    }
}
