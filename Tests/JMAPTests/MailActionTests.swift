import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("MailAction (urn:mailkernel:actions)") struct MailActionTests {
    private func thread(_ test: TestKernel, _ id: String) async throws -> JSONValue {
        let answer = try await test.call("Email/get", ["ids": [.string(id)], "properties": ["threadId"]])
        return try #require(answer["list"][0]?["threadId"])
    }

    private func inbox(_ test: TestKernel) async throws -> JSONValue {
        .string(try await test.mailbox(.inbox).rawValue)
    }

    @Test func anActionIsDoneRecordedAndUndone() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let before = try await test.email(id)
        let create: JSONValue = [
            "verb": "archive", "threadIds": [try await thread(test, id.rawValue)],
            "inMailboxId": try await inbox(test),
        ]
        let done = try await test.call("MailAction/set", ["create": ["a": create]])
        let action = try #require(done["created"]["a"], "\(done.arguments)")
        #expect(action["state"] == "done" && action["changed"] == 1 && action["client"] == "page")
        #expect(try await test.email(id).mailboxIDs == [try await test.mailbox(.archive)])

        let actionID = try #require(action["id"]?.stringValue)
        let query = try await test.call("MailAction/query", ["filter": ["mayUndo": true]])
        #expect(query["ids"].strings == [actionID])
        let undone = try await test.call("MailAction/set", ["update": [actionID: ["isUndone": true]]])
        #expect(undone["updated"][actionID]?["isUndone"] == true, "\(undone.arguments)")
        #expect(try await test.email(id).mailboxIDs == before.mailboxIDs)
        let again = try await test.call("MailAction/set", ["update": [actionID: ["isUndone": true]]])
        #expect(again["notUpdated"][actionID]?["type"] == "forbidden")
        #expect(again["notUpdated"][actionID]?["description"] == "This action was already undone.")
        await test.kernel.stop()
    }

    /// A client that only knows `Email/set` is recorded, too.
    @Test func changesOfEmailSetCanBeUndone() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let isFlagged = try await test.email(id).keywords.contains(.flagged)
        let patch: JSONValue = ["keywords/$flagged": isFlagged ? nil : true]
        _ = try await test.call("Email/set", ["update": [id.rawValue: patch]])
        let get = try await test.call("MailAction/get", ["ids": nil])
        #expect(get["list"][0]?["verb"] == "update" && get["list"][0]?["changed"] == 1, "\(get.arguments)")
        let actionID = try #require(get["list"][0]?["id"]?.stringValue)
        for isUpdate in [true, false] {
            let query = try await test.call("MailAction/query", ["filter": ["isUpdate": .bool(isUpdate)]])
            #expect(query["ids"].strings == (isUpdate ? [actionID] : []))
        }
        _ = try await test.call("MailAction/set", ["update": [actionID: ["isUndone": true]]])
        #expect(try await test.email(id).keywords.contains(.flagged) == isFlagged)
        await test.kernel.stop()
    }

    /// What another client destroys is recorded, alone or with its mailbox, and says that it is gone for good.
    @Test func destroyedEmailsAreRecorded() async throws {
        let test = try await TestKernel(messages: 3, layout: .folders)
        let ids = try await test.emailIDs()
        let two = JSONValue.array(ids.prefix(2).map { .string($0.rawValue) })
        _ = try await test.call("Email/set", ["destroy": two])
        let made = try await test.call("Mailbox/set", ["create": ["m": ["name": "Old"]]])
        let mailbox = try #require(made["created"]["m"]?["id"]?.stringValue)
        let place: JSONValue = ["mailboxIds": .object([mailbox: true])]
        _ = try await test.call("Email/set", ["update": [ids[2].rawValue: place]])
        _ = try await test.call(
            "Mailbox/set", ["destroy": [.string(mailbox)], "onDestroyRemoveEmails": true])

        let list = try await test.call("MailAction/get", ["ids": nil])["list"]
        let records = list.arrayValue ?? []
        let destroyed = records.filter { $0["verb"] == "destroy" }
        #expect(destroyed.compactMap { $0["changed"] } == [1, 2], "\(records)")
        #expect(destroyed.allSatisfy { $0["client"] == "page" && $0["mayUndo"] == false })
        let id = try #require(destroyed.first?["id"]?.stringValue)
        let undone = try await test.call("MailAction/set", ["update": [id: ["isUndone": true]]])
        let reason = "Deleted messages cannot be brought back."
        #expect(undone["notUpdated"][id]?["description"]?.stringValue == reason)
        await test.kernel.stop()
    }

    @Test func aSearchIsActedOnAsAWhole() async throws {
        let test = try await TestKernel(messages: 30)
        let create: JSONValue = [
            "verb": "read", "filter": ["inMailbox": try await inbox(test)],
            "inMailboxId": try await inbox(test),
        ]
        let answer = try await test.call("MailAction/set", ["create": ["a": create]])
        #expect(answer["created"]["a"]?["state"] == "done", "\(answer.arguments)")
        for id in try await test.emailIDs() { #expect(try await test.email(id).keywords.contains(.seen)) }
        await test.kernel.stop()
    }

    @Test(
        arguments: [
            ["verb": "fly", "emailIds": []], ["verb": "move", "emailIds": []],
            ["verb": "archive", "mailboxId": "X", "emailIds": []], ["verb": "archive"],
            ["verb": "archive", "emailIds": [], "threadIds": []],
            ["verb": "archive", "emailIds": [], "x": 1],
            ["emailIds": []], ["verb": "archive", "emailIds": "M"],
            ["verb": "archive", "filter": ["nothing": 1]],
        ] as [JSONValue])
    func anActionThatMakesNoSenseIsRefusedWhole(_ create: JSONValue) async throws {
        let test = try await TestKernel(messages: 1)
        let answer = try await test.call("MailAction/set", ["create": ["a": create]])
        #expect(answer["notCreated"]["a"]?["type"] == "invalidProperties", "\(answer.arguments)")
        #expect(answer["oldState"] == answer["newState"])
        await test.kernel.stop()
    }

    @Test func whatRightsForbidIsCountedWithItsReason() async throws {
        let script = Script()
        script.change { $0.rights = [RemoteMailboxID("inbox"): MailboxRights.all.subtracting(.setKeywords)] }
        let test = try await TestKernel(messages: 2, wrap: { ScriptedSession($0, script) })
        let ids = try await test.emailIDs()
        let create: JSONValue = ["verb": "star", "emailIds": .array(ids.map { .string($0.rawValue) })]
        let answer = try await test.call("MailAction/set", ["create": ["a": create]])
        let action = try #require(answer["created"]["a"], "\(answer.arguments)")
        #expect(action["changed"] == 0 && (action["refused"]?.intValue ?? 0) > 0)
        #expect(action["refusal"] == "Stars and tags cannot be changed in “Inbox”.")
        #expect(action["mayUndo"] == false)
        await test.kernel.stop()
    }

    @Test func aClientThatMayReadOnlyDoesNothing() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let before = try await test.email(id)
        let verb: JSONValue = before.keywords.contains(.flagged) ? "unstar" : "star"
        let create: JSONValue = ["verb": verb, "emailIds": [.string(id.rawValue)]]
        let answer = try await test.call("MailAction/set", ["create": ["a": create]], as: TestKernel.reader)
        #expect(answer.error == "accountReadOnly")
        #expect(try await test.email(id).keywords == before.keywords)
        // The same is done for a client that may.
        _ = try await test.call("MailAction/set", ["create": ["a": create]])
        #expect(try await test.email(id).keywords != before.keywords)
        await test.kernel.stop()
    }
}
