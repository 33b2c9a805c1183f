import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAP
@testable import Kernel

/// ORG-68, ORG-71: reminders for JMAP clients.
@Suite("Reminders in JMAP", .timeLimit(.minutes(10))) struct ReminderTests {
    private func text(_ date: Date) -> JSONValue { .string(JMAPDate.write(date)) }

    private func draft(_ test: TestKernel) async throws -> JSONValue {
        let made = try await test.call(
            "Draft/set",
            ["create": ["d": ["to": [["email": "grace@example.org"]], "subject": "Lunch?", "body": "Hi"]]])
        await test.kernel.drafts.settle()
        return try #require(made["created"]["d"]?["id"], "\(made.arguments)")
    }

    @Test func aDraftIsSentWithOne() async throws {
        let sink = MemoryNotificationSink(permission: .granted)
        let test = try await TestKernel(sinks: [sink])
        let id = try await draft(test)
        let until = test.clock.now + 86_400
        let sent = try await test.call("Draft/send", ["id": id, "remindAt": text(until)])
        let submission = sent["submissionId"]
        let waiting = try await test.call("Reminder/get", ["ids": nil])["list"]
        #expect(waiting[0]?["submissionId"] == submission && waiting[0]?["sentAt"] == .null)
        #expect(waiting[0]?["until"] == text(until) && waiting[0]?["emailId"] == sent["emailId"])
        test.clock.advance(by: 6)
        try await test.wait(for: "its beginning") {
            try await test.call("Reminder/get", ["ids": nil])["list"][0]?["sentAt"] != .null
        }
        await test.settle()
        try await test.wait(for: "the copy") {
            await test.kernel.snoozing.settle()
            return try await test.call("Reminder/get", ["ids": nil])["list"][0]?["threadId"] != .null
        }
        test.clock.advance(by: 86_400)
        await test.kernel.snoozing.settle()
        let returned = try await test.call("Reminder/get", ["ids": nil])["list"]
        #expect(returned[0]?["returnedAt"] != .null && returned[0]?["returnedAt"] != nil, "\(returned)")
        try await test.wait(for: "the notification") {
            sink.shown.contains {
                $0.title == "No reply yet from grace@example.org" && $0.body == "Lunch?"
            }
        }
        // Dismissed, and back.
        let emails: JSONValue = [try #require(returned[0]?["emailId"])]
        let done = try await test.call(
            "MailAction/set", ["create": ["a": ["verb": "unremind", "emailIds": emails]]])
        let action = try #require(done["created"]["a"]?["id"]?.stringValue, "\(done.arguments)")
        #expect(try await test.call("Reminder/get", ["ids": nil])["list"] == [])
        _ = try await test.call("MailAction/set", ["update": [action: ["isUndone": true]]])
        #expect(try await test.call("Reminder/get", ["ids": nil])["list"][0]?["id"] == returned[0]?["id"])
        await test.kernel.stop()
    }

    @Test func undoingTheSendRemovesIt() async throws {
        let test = try await TestKernel()
        let id = try await draft(test)
        let sent = try await test.call("Draft/send", ["id": id, "remindAt": text(test.clock.now + 3600)])
        let submission = try #require(sent["submissionId"].stringValue)
        _ = try await test.call(
            "EmailSubmission/set", ["update": [submission: ["undoStatus": "canceled"]]])
        try await test.wait(for: "its end") {
            try await test.call("Reminder/get", ["ids": nil])["list"] == []
        }
        await test.kernel.stop()
    }

    /// ORG-85: it waits with the draft, which is sent with it, and comes back with it.
    @Test func aDraftKeepsItsTime() async throws {
        let test = try await TestKernel()
        let id = try #require(try await draft(test).stringValue)
        let until = text(test.clock.now + 3600)
        let set = try await test.call("Draft/set", ["update": [id: ["remindAt": until]]])
        #expect(set["updated"].keys == [id], "\(set.arguments)")
        for wrong: JSONValue in ["soon", 5, ""] {
            let refused = try await test.call("Draft/set", ["update": [id: ["remindAt": wrong]]])
            #expect(refused["notUpdated"][id]?["properties"] == ["remindAt"])
        }
        let renamed = try await test.call("Draft/set", ["update": [id: ["subject": "Lunch today?"]]])
        #expect(renamed["updated"].keys == [id], "\(renamed.arguments)")
        func kept() async throws -> JSONValue? {
            try await test.call("Draft/get", ["ids": [.string(id)]])["list"][0]?["remindAt"]
        }
        #expect(try await kept() == until)
        let late = try await test.call(
            "Draft/send", ["id": .string(id), "sendAt": text(test.clock.now + 7200)])
        #expect(late.error == "invalidArguments")
        let sent = try await test.call("Draft/send", ["id": .string(id)])
        #expect(try await test.call("Reminder/get", ["ids": nil])["list"][0]?["until"] == until)
        let submission = try #require(sent["submissionId"].stringValue, "\(sent.arguments)")
        _ = try await test.call(
            "EmailSubmission/set", ["update": [submission: ["undoStatus": "canceled"]]])
        #expect(try await kept() == until)
        _ = try await test.call("Draft/set", ["update": [id: ["remindAt": nil]]])
        #expect(try await kept() == .null)
        await test.kernel.stop()
    }

    /// ORG-85: a client that knows nothing of reminders can send a draft whose reminder was due; `null` is none.
    @Test(arguments: [true, false]) func aDraftIsSentWithoutOne(_ isPast: Bool) async throws {
        let test = try await TestKernel()
        let id = try #require(try await draft(test).stringValue)
        let until = text(test.clock.now + 3600)
        let set = try await test.call("Draft/set", ["update": [id: ["remindAt": until]]])
        #expect(set["updated"].keys == [id], "\(set.arguments)")
        if isPast { test.clock.advance(by: 3601) }
        let sent = try await test.call(
            "Draft/send", isPast ? ["id": .string(id)] : ["id": .string(id), "remindAt": nil])
        #expect(sent["submissionId"].stringValue != nil, "\(sent.arguments)")
        #expect(try await test.call("Reminder/get", ["ids": nil])["list"] == [])
        await test.kernel.stop()
    }

    /// Refused whole: nothing is sent.
    @Test(arguments: ["2001-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "thursday"])
    func aWrongTimeIsRefused(_ wrong: String) async throws {
        let test = try await TestKernel()
        let id = try await draft(test)
        let answer = try await test.call("Draft/send", ["id": id, "remindAt": .string(wrong)])
        #expect(answer.error == "invalidArguments")
        let later = try await test.call(
            "Draft/send",
            ["id": id, "sendAt": text(test.clock.now + 7200), "remindAt": text(test.clock.now + 3600)])
        #expect(later.error == "invalidArguments")
        #expect(try await test.call("Reminder/get", ["ids": nil])["list"] == [])
        #expect(try await test.kernel.store.read.submissions(nil, in: test.ada).isEmpty)
        let email = try await test.emailIDs().first.map { JSONValue.string($0.rawValue) } ?? "none"
        for create: JSONValue in [
            ["verb": "remind", "emailIds": [email]],
            ["verb": "unremind", "emailIds": [email], "until": text(test.clock.now + 60)],
            ["verb": "remind", "emailIds": [email], "until": .string(wrong)],
        ] where wrong != "9999-01-01T00:00:00Z" {
            let answer = try await test.call("MailAction/set", ["create": ["a": create]])
            #expect(answer["notCreated"]["a"] != nil, "\(create)")
        }
        await test.kernel.stop()
    }
}
