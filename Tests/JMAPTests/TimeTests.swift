import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAP

/// ORG-50, ORG-56, ORG-57: snooze and sending later, for JMAP clients.
@Suite("Snooze and FUTURERELEASE in JMAP") struct TimeTests {
    private func text(_ date: Date) -> JSONValue { .string(JMAPDate.write(date)) }

    @Test func aConversationIsSnoozedAndItsMailboxHasTheRole() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let until = text(test.clock.now + 3600)
        let create: JSONValue = ["verb": "snooze", "until": until, "emailIds": [.string(id.rawValue)]]
        let done = try await test.call("MailAction/set", ["create": ["a": create]])
        let action = try #require(done["created"]["a"], "\(done.arguments)")
        #expect(action["until"] == until && action["verb"] == "snooze" && action["mayUndo"] == true)
        let snoozes = try await test.call("Snooze/get", ["ids": nil])
        #expect(
            snoozes["list"] == [
                ["id": .string(id.rawValue), "emailId": .string(id.rawValue), "until": until]
            ])
        let query = try await test.call("Mailbox/query", ["filter": ["role": "snoozed"]])
        let mailbox = try #require(query["ids"].strings.first)
        #expect(try await test.email(id).mailboxIDs.map(\.rawValue) == [mailbox])
        let got = try await test.call("Mailbox/get", ["ids": [.string(mailbox)]])
        #expect(got["list"][0]?["role"] == "snoozed")
        let back: JSONValue = ["verb": "unsnooze", "emailIds": [.string(id.rawValue)]]
        _ = try await test.call("MailAction/set", ["create": ["a": back]])
        #expect(try await test.call("Snooze/get", ["ids": nil])["list"] == [])
        await test.kernel.stop()
    }

    @Test(
        arguments: [
            ["verb": "snooze"], ["verb": "archive", "until": "2030-01-01T00:00:00Z"],
            ["verb": "snooze", "until": "2001-01-01T00:00:00Z"], ["verb": "snooze", "until": "tomorrow"],
        ] as [JSONValue])
    func aTimeIsNeededAndOnlyThere(_ wrong: JSONValue) async throws {
        let test = try await TestKernel(messages: 1)
        var create = wrong.objectValue ?? [:]
        create["emailIds"] = [.string(try await test.emailIDs()[0].rawValue)]
        let answer = try await test.call("MailAction/set", ["create": ["a": .object(create)]])
        #expect(answer["notCreated"]["a"] != nil)
        await test.kernel.stop()
    }

    private func submit(_ test: TestKernel, _ parameters: JSONValue) async throws -> CallAnswer {
        let mailbox = try await test.mailbox(.drafts).rawValue
        let made = try await test.call(
            "Email/set",
            [
                "create": [
                    "d": [
                        "from": [["email": "ada@example.org"]], "to": [["email": "grace@example.org"]],
                        "subject": "Later", "mailboxIds": [mailbox: true], "textBody": [["partId": "1"]],
                        "bodyValues": ["1": ["value": "Hi"]],
                    ]
                ]
            ])
        let identity = try #require(try await test.call("Identity/get")["list"][0]?["id"])
        let submission: JSONValue = [
            "identityId": identity, "emailId": try #require(made["created"]["d"]?["id"]),
            "envelope": [
                "mailFrom": ["email": "ada@example.org", "parameters": parameters],
                "rcptTo": [["email": "grace@example.org"]],
            ],
        ]
        return try await test.call("EmailSubmission/set", ["create": ["k": submission]])
    }

    @Test(arguments: ["HOLDFOR", "holdfor", "HOLDUNTIL"]) func aSubmissionIsHeld(_ name: String) async throws
    {
        let test = try await TestKernel()
        let at = test.clock.now + 86_400
        let value = name == "HOLDUNTIL" ? text(at) : "86400"
        let answer = try await submit(test, [name: value])
        let made = try #require(answer["created"]["k"], "\(answer.arguments)")
        #expect(made["undoStatus"] == "pending" && made["sendAt"] == text(at) && made["isScheduled"] == true)
        #expect(made["envelope"]?["mailFrom"]?["parameters"] == ["HOLDUNTIL": text(at)])
        let id = try #require(made["id"]?.stringValue)
        let later = text(at + 60)
        let moved = try await test.call("EmailSubmission/set", ["update": [id: ["sendAt": later]]])
        #expect(moved["updated"].keys == [id], "\(moved.arguments)")
        let past = try await test.call("EmailSubmission/set", ["update": [id: ["sendAt": text(at - 90_000)]]])
        #expect(past["notUpdated"][id]?["type"] == "invalidProperties")
        let sent = try await test.call("EmailSubmission/set", ["update": [id: ["sendState": "queued"]]])
        #expect(sent["updated"].keys == [id], "\(sent.arguments)")
        try await test.wait(for: "delivery") {
            test.server.messages(of: "grace@example.org").contains { $0.subject == "Later" }
        }
        await test.kernel.stop()
    }

    @Test(
        arguments: [
            ["HOLDFOR": "0"], ["HOLDFOR": "-5"], ["HOLDFOR": "99999999999"], ["HOLDFOR": "999999999"],
            ["HOLDUNTIL": "2001-01-01T00:00:00Z"], ["HOLDUNTIL": "soon"], ["SIZE": "60"],
            ["HOLDFOR": "60", "HOLDUNTIL": "2030-01-01T00:00:00Z"], ["HOLDFOR": 60],
        ] as [JSONValue])
    func otherParametersAreRefused(_ parameters: JSONValue) async throws {
        let test = try await TestKernel()
        let answer = try await submit(test, parameters)
        #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties", "\(answer.arguments)")
        await test.kernel.stop()
    }

    /// ORG-84: what the service cannot do is refused whole.
    @Test func aDraftIsOnlyHandedOverWithATimeUntilWhichTheServiceHoldsIt() async throws {
        let script = Script()
        let test = try await TestKernel(wrap: { ScriptedSession($0, script) })
        let made = try await test.call(
            "Draft/set",
            ["create": ["d": ["to": [["email": "grace@example.org"]], "subject": "A", "body": "Hi"]]])
        await test.kernel.drafts.settle()
        let id = try #require(made["created"]["d"]?["id"], "\(made.arguments)")
        let at = text(test.clock.now + 3600)
        let timeless = try await test.call("Draft/send", ["id": id, "isHandedOver": true])
        #expect(timeless.error == "invalidArguments")
        let refused = try await test.call("Draft/send", ["id": id, "isHandedOver": true, "sendAt": at])
        #expect(refused.error == "forbidden")
        script.change { $0.holdError = .offline }
        let unasked = try await test.call("Draft/send", ["id": id, "isHandedOver": true, "sendAt": at])
        #expect(unasked.error == "serverUnavailable")
        #expect(try await test.kernel.store.read.submissions(nil, in: test.ada).isEmpty)
        let sent = try await test.call("Draft/send", ["id": id, "sendAt": at])
        #expect(sent["isScheduled"] == true && sent["isHandedOver"] == false && sent["undoSeconds"] == 0)
        let submission = try #require(sent["submissionId"].stringValue)
        let failed = try await test.call(
            "EmailSubmission/set", ["update": [submission: ["isHandedOver": true]]])
        #expect(failed["notUpdated"][submission]?["type"] == "serverUnavailable")
        await test.kernel.stop()
    }

    /// ORG-84: clients see the time that was chosen, and when the service gets the message.
    @Test func theUndoDelayComesBeforeTheService() async throws {
        let script = Script()
        script.change { $0.holdLimits = HoldLimits(maxSeconds: 86_400) }
        let test = try await TestKernel(wrap: { ScriptedSession($0, script) })
        let made = try await test.call(
            "Draft/set",
            ["create": ["d": ["to": [["email": "grace@example.org"]], "subject": "A", "body": "Hi"]]])
        await test.kernel.drafts.settle()
        let id = try #require(made["created"]["d"]?["id"], "\(made.arguments)")
        let at = text(test.clock.now + 3600)
        let sent = try await test.call("Draft/send", ["id": id, "isHandedOver": true, "sendAt": at])
        #expect(sent["isHandedOver"] == true && sent["undoSeconds"] == 5 && sent["sendAt"] == at)
        let ids: JSONValue = [sent["submissionId"]]
        let waiting = try await test.call("EmailSubmission/get", ["ids": ids])["list"][0]
        #expect(waiting?["undoStatus"] == "pending" && waiting?["isHandedOver"] == true)
        #expect(waiting?["sendAt"] == at && waiting?["nextTryAt"] == text(test.clock.now + 5))
        #expect(waiting?["envelope"]?["mailFrom"]?["parameters"] == ["HOLDUNTIL": at])
        let submission = try #require(sent["submissionId"].stringValue)
        let undone = try await test.call(
            "EmailSubmission/set", ["update": [submission: ["undoStatus": "canceled"]]])
        #expect(undone["updated"].keys == [submission], "\(undone.arguments)")
        #expect(script.now.submitted.isEmpty)
        await test.kernel.stop()
    }

    @Test func theDelayIsAnnounced() async throws {
        let test = try await TestKernel()
        let session = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
        let text = String(decoding: session, as: UTF8.self)
        #expect(text.contains("\"maxDelayedSend\":31622400") && text.contains("FUTURERELEASE"))
        await test.kernel.stop()
    }
}
