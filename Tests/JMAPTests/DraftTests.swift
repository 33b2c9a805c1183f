import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-COMP-01: what a client writes, saves and sends.
@Suite("FR-COMP-01: drafts over JMAP") struct DraftTests {
    private func draft(_ test: TestKernel, _ object: JSONValue) async throws -> JSONValue {
        let answer = try await test.call("Draft/set", ["create": ["d": object]])
        return try #require(answer["created"]["d"], "\(answer.arguments)")
    }

    private func identity(_ test: TestKernel) async throws -> JSONValue {
        let answer = try await test.call("Identity/get")
        return try #require(answer["list"][0]?["id"])
    }

    private func get(_ test: TestKernel, _ id: JSONValue) async throws -> JSONValue {
        try #require(try await test.call("Draft/get", ["ids": [id]])["list"][0])
    }

    /// The messages in Drafts at the service.
    private func atService(_ test: TestKernel) -> [MemoryMessage] {
        test.server.messages(of: "ada@example.org").filter { $0.keywords.contains(.draft) }
    }

    @Test func aDraftComesBackWholeAndStandsInDraftsHereAndAtTheService() async throws {
        let test = try await TestKernel()
        let blob = try await test.upload("file", type: "text/x-thing")
        let created = try await draft(
            test,
            [
                "to": [["name": "Grace", "email": "grace@example.org"], ["email": "not an address"]],
                "bcc": [["email": "hidden@example.org"]],
                "subject": "Engines", "body": "**Bold**  and\n\n  [a link](https://example.org)\n",
                "attachments": [["blobId": .string(blob), "name": "thing.txt", "type": "text/x-thing"]],
            ])
        let id = try #require(created["id"])
        await test.kernel.drafts.settle()
        await test.settle()
        let read = try await get(test, id)
        #expect(read["subject"] == "Engines")
        #expect(read["body"] == "**Bold**  and\n\n  [a link](https://example.org)\n")
        #expect(read["to"]?[1]?["email"] == "not an address")
        #expect(read["bcc"]?[0]?["email"] == "hidden@example.org")
        #expect(read["attachments"]?[0]?["isPending"] == false && read["attachments"]?[0]?["size"] == 4)
        #expect(read["conflict"] == .null)
        let problem = read["problems"]?.arrayValue?.first { $0["kind"] == "invalidAddress" }
        #expect(problem?["value"] == "not an address" && problem?["blocksSending"] == true)
        let emailID = try #require(read["emailId"]?.stringValue)
        let email = try await test.email(Id(emailID))
        let home = try await test.mailbox(.drafts)
        #expect(email.keywords.contains(.draft) && email.mailboxIDs == [home])
        #expect(email.hasAttachment)
        try await test.wait(for: "the service's copy") { atService(test).count == 1 }
        let resumed = try await test.call("Draft/get", ["emailIds": [.string(emailID)]])
        #expect(resumed["list"][0]?["id"] == id)
    }

    /// A list on the screen may name the email of the version before.
    @Test func aDraftIsFoundByTheEmailsThatShowedItBefore() async throws {
        let test = try await TestKernel()
        let id = try #require(try await draft(test, ["subject": "First", "body": "One"])["id"])
        await test.kernel.drafts.settle()
        let before = try #require(try await get(test, id)["emailId"])
        _ = try await test.call("Draft/set", ["update": [try #require(id.stringValue): ["body": "Two"]]])
        await test.kernel.drafts.settle()
        let after = try #require(try await get(test, id)["emailId"])
        #expect(after != before)
        let found = try await test.call("Draft/get", ["emailIds": [before, after, "missing"]])
        #expect(found["list"].arrayValue?.map { $0["body"] } == ["Two"])
        #expect(found["notFound"] == ["missing"])
    }

    /// A typed or pasted address is judged like those of a message that is read.
    @Test func recipientsThatImitateOthersAreNamedAndCanBeWrittenTo() async throws {
        let test = try await TestKernel()
        let created = try await draft(
            test,
            [
                "to": [["email": "grace@example.org"], ["email": "a@аррӏе.com"]],
                "cc": [["name": "service@paypal.com", "email": "x@evil.example"]], "subject": "Hello",
            ])
        let problems = (created["problems"]?.arrayValue ?? []).filter { $0["kind"] == "imitatingAddress" }
        #expect(problems.map { $0["field"] } == ["to", "cc"])
        #expect(problems.map { $0["value"] } == ["a@аррӏе.com", "x@evil.example"])
        #expect(problems.allSatisfy { $0["blocksSending"] == false })
        #expect(problems.first?["text"]?.stringValue?.contains("imitates apple.com") == true)
        #expect(
            problems.last?["text"]
                == "The name contains another address, service@paypal.com. The real address is x@evil.example."
        )
    }

    /// A reply to a message with thousands of recipients is written to all of them.
    @Test func aDraftKeepsThousandsOfRecipients() async throws {
        let test = try await TestKernel()
        let many = (0..<3000).map { JSONValue.object(["email": .string("p\($0)@example.org")]) }
        let created = try await draft(test, ["cc": .array(many), "subject": "Everybody"])
        let read = try await get(test, try #require(created["id"]))
        #expect(read["cc"]?.arrayValue?.count == 3000)
        #expect(read["cc"]?[2999]?["email"] == "p2999@example.org")
    }

    /// The HTML comes from a client, and is not trusted; the text is made from it.
    @Test func whatIsWrittenAsHTMLIsCleanedAndReadAsText() async throws {
        let test = try await TestKernel()
        let image = try await test.upload("pixels", type: "image/png")
        let created = try await draft(
            test,
            [
                "subject": "Engines", "body": "ignored",
                "html":
                    "<p onclick=x()>A <b>bold</b> plan</p><script>x</script><img src=\"cid:one\" alt=\"Map\">",
                "attachments": [
                    [
                        "blobId": .string(image), "name": "map.png", "type": "image/png", "cid": "one",
                        "disposition": "inline",
                    ]
                ],
            ])
        let id = try #require(created["id"])
        let html = "<p>A <b>bold</b> plan</p><img src=\"cid:one\" alt=\"Map\">"
        let read = try await get(test, id)
        #expect(read["html"] == .string(html) && created["html"] == .string(html))
        #expect(read["body"] == "A bold plan\n\n[Map]")
        let file = try #require(read["attachments"]?[0])
        #expect(file["cid"] == "one" && file["disposition"] == "inline")
        let name = try #require(id.stringValue)
        // All of it, as a client may send it.
        _ = try await test.call("Draft/set", ["update": [name: ["html": .string(html), "body": "other"]]])
        #expect(try await get(test, id)["html"] == .string(html))
        // A client that knows no HTML.
        _ = try await test.call("Draft/set", ["update": [name: ["body": "plain"]]])
        let plain = try await get(test, id)
        #expect(plain["html"] == .null && plain["body"] == "plain")
        let wrong = try await test.call(
            "Draft/set",
            ["update": [name: ["attachments": [["blobId": .string(image), "cid": "a\"b"]]]]])
        #expect(wrong["notUpdated"][name]?["type"] == "invalidProperties")
    }

    @Test func anEmptyDraftIsNotSaved() async throws {
        let test = try await TestKernel()
        let answer = try await test.call(
            "Draft/set", ["create": ["d": ["subject": "  ", "body": "\n"]]])
        #expect(answer["notCreated"]["d"]?["type"] == "emptyDraft")
        #expect(try await test.kernel.drafts.all(in: test.ada).isEmpty)
    }

    @Test func aSentDraftIsGoneAndTheMessageIsOnceInSent() async throws {
        for features in [AccountFeatures(), .savesSentCopies] {
            let test = try await TestKernel(lacking: features)
            let created = try await draft(
                test, ["to": [["email": "grace@example.org"]], "subject": "Hello", "body": "One **two**"])
            let id = try #require(created["id"])
            await test.kernel.drafts.settle()
            let sent = try await test.call("Draft/send", ["id": id])
            #expect(sent["undoSeconds"] == 5, "\(sent.arguments)")
            let submission = try #require(sent["submissionId"].stringValue)
            test.clock.advance(by: 5)
            try await test.wait(for: "sent") {
                try await test.storage.submissions([Id(submission)], in: test.ada).first?.sendState == .sent
            }
            await test.kernel.outbox.settle()
            await test.settle()
            await test.settle()
            #expect(try await test.kernel.drafts.all(in: test.ada).isEmpty)
            #expect(atService(test).isEmpty)
            let there = test.server.messages(of: "ada@example.org")
            #expect(there.count == 1 && there.first?.subject == "Hello")
            let here = try await test.emailIDs()
            #expect(here.count == 1)
            let email = try await test.email(try #require(here.first))
            let sentBox = try await test.mailbox(.sent)
            #expect(email.mailboxIDs == [sentBox])
            #expect(!email.keywords.contains(.draft))
            #expect(try await test.emailIDs(of: test.grace).count == 1)
        }
    }

    @Test func whatIsCalledBackIsTheSameDraft() async throws {
        let test = try await TestKernel()
        let created = try await draft(
            test,
            [
                "to": [["email": "grace@example.org"]], "cc": [["email": "x"]], "subject": "Hello",
                "body": "One",
            ])
        let id = try #require(created["id"])
        #expect(try await test.call("Draft/send", ["id": id]).error == "invalidArguments")
        _ = try await test.call("Draft/set", ["update": [id.stringValue ?? "": ["cc": []]]])
        let before = try await get(test, id)
        let sent = try await test.call("Draft/send", ["id": id])
        let submission = try #require(sent["submissionId"].stringValue, "\(sent.arguments)")
        let changed = try await test.call(
            "Draft/set", ["update": [id.stringValue ?? "": ["subject": "Changed"]]])
        #expect(changed["notUpdated"][id.stringValue ?? ""]?["type"] == "forbidden")
        let undone = try await test.call(
            "EmailSubmission/set", ["update": [submission: ["undoStatus": "canceled"]]])
        #expect(undone["updated"].keys == [submission], "\(undone.arguments)")
        let after = try await get(test, id)
        let (old, new) = (before.objectValue ?? [:], after.objectValue ?? [:])
        #expect(new.filter { $0.key != "emailId" } == old.filter { $0.key != "emailId" })
        let resumed = try await test.call("Draft/get", ["emailIds": [sent["emailId"]]])
        #expect(resumed["list"][0]?["id"] == id)
        _ = try await test.call("Draft/set", ["update": [id.stringValue ?? "": ["body": "Edited"]]])
        _ = try await test.call("Draft/send", ["id": id])
        test.clock.advance(by: 5)
        try await test.wait(for: "the mail") { try await test.emailIDs(of: test.grace).count == 1 }
        let got = try #require(test.server.messages(of: "grace@example.org").first)
        #expect(String(decoding: got.bytes, as: UTF8.self).contains("Edited"))
    }

    @Test func anAnswerIsPrefilled() async throws {
        let test = try await TestKernel()
        let source = try await test.add(
            """
            From: Grace <grace@example.org>\r
            To: Ada <ADA@example.org>, Bob <bob@example.org>\r
            Subject: AW: Engines\r
            Date: Sat, 21 Nov 2026 10:00:00 +0000\r
            Message-ID: <two@example.org>\r
            References: <one@example.org>\r
            \r
            First\r
            > older\r

            """)
        let answer = try await test.call("Draft/prefill", ["mode": "replyAll", "emailId": .string(source)])
        let draft = answer["draft"]
        #expect(draft["subject"] == "Re: Engines", "\(answer.arguments)")
        #expect(draft["to"] == [["name": "Grace", "email": "grace@example.org"]])
        #expect(draft["cc"] == [["name": "Bob", "email": "bob@example.org"]])
        #expect(draft["references"] == ["one@example.org", "two@example.org"])
        #expect(draft["inReplyTo"] == ["two@example.org"])
        let body = try #require(draft["body"]?.stringValue)
        #expect(body.hasPrefix("\nOn ") && body.hasSuffix(", Grace wrote:\n> First\n>\n>> older"), "\(body)")
        #expect(draft["id"] == .null || draft.keys.contains("id") == false)
    }
}
