import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Identities and submissions (RFC 8621, sections 6 and 7)") struct SubmissionTests {
    private func draft(_ test: TestKernel, _ more: JSONValue = [:]) async throws -> JSONValue {
        var object: [String: JSONValue] = [
            "from": [["email": "ada@example.org"]], "to": [["email": "grace@example.org"]],
            "subject": "Hello",
            "keywords": ["$draft": true], "mailboxIds": [try await test.mailbox(.drafts).rawValue: true],
            "bcc": [["email": "hidden@example.org"]], "textBody": [["partId": "1"]],
            "bodyValues": ["1": ["value": "Hi"]],
        ]
        object.merge(more.objectValue ?? [:]) { _, new in new }
        let answer = try await test.call("Email/set", ["create": ["d": .object(object)]])
        return try #require(answer["created"]["d"]?["id"])
    }

    private func identity(_ test: TestKernel) async throws -> JSONValue {
        try #require(try await test.call("Identity/get")["list"][0]?["id"])
    }

    private func submit(
        _ test: TestKernel, _ email: JSONValue, _ more: JSONValue = [:], set: JSONValue = [:]
    ) async throws -> [CallAnswer] {
        var object: [String: JSONValue] = ["identityId": try await identity(test), "emailId": email]
        object.merge(more.objectValue ?? [:]) { _, new in new }
        var arguments: [String: JSONValue] = [
            "accountId": .string(test.ada.rawValue), "create": ["k": .object(object)],
        ]
        arguments.merge(set.objectValue ?? [:]) { _, new in new }
        return try await test.calls([("EmailSubmission/set", .object(arguments))])
    }

    private func got(_ test: TestKernel, _ id: JSONValue) async throws -> JSONValue {
        try #require(try await test.call("EmailSubmission/get", ["ids": [id]])["list"][0])
    }

    /// The example of section 7.5.1: send, move to Sent, take the draft mark away.
    @Test func sendingAndMoving() async throws {
        let test = try await TestKernel()
        let email = try await draft(test)
        let (drafts, sent) = (
            try await test.mailbox(.drafts).rawValue, try await test.mailbox(.sent).rawValue
        )
        let answers = try await submit(
            test, email,
            set: [
                "onSuccessUpdateEmail": [
                    "#k": ["mailboxIds/\(drafts)": nil, "mailboxIds/\(sent)": true, "keywords/$draft": nil]
                ]
            ])
        #expect(answers.map(\.name) == ["EmailSubmission/set", "Email/set"])
        #expect(answers.map(\.callID) == ["c0", "c0"])
        #expect(answers[1]["updated"].keys == [email.stringValue ?? ""])
        let made = try #require(answers[0]["created"]["k"])
        #expect(made["undoStatus"] == "pending" && made["sendState"] == "queued")
        let submission = try await got(test, try #require(made["id"]))
        let recipients = submission["envelope"]?["rcptTo"]?.arrayValue?.compactMap {
            $0["email"]?.stringValue
        }
        #expect(recipients == ["grace@example.org", "hidden@example.org"])
        #expect(submission["envelope"]?["mailFrom"]?["email"] == "ada@example.org")
        #expect(submission["threadId"] != .null && submission["dsnBlobIds"] == [])
        test.clock.advance(by: 5)
        try await test.wait(for: "sent") { try await got(test, made["id"] ?? .null)["sendState"] == "sent" }
        let after = try await got(test, made["id"] ?? .null)
        #expect(after["undoStatus"] == "final")
        #expect(after["deliveryStatus"]?["grace@example.org"]?["delivered"] == "unknown")
        #expect(after["deliveryStatus"]?["hidden@example.org"]?["delivered"] == "no")
        let copy = try #require(test.server.messages(of: "grace@example.org").first)
        #expect(!String(decoding: copy.bytes, as: UTF8.self).contains("hidden@example.org"))
    }

    @Test func unsending() async throws {
        let test = try await TestKernel()
        let id = try #require(
            try await submit(test, try await draft(test))[0]["created"]["k"]?["id"]?.stringValue)
        let answer = try await test.call("EmailSubmission/set", ["update": [id: ["undoStatus": "canceled"]]])
        // What the server changed besides is told.
        #expect(answer["updated"][id]?["sendState"] == "none")
        test.clock.advance(by: 60)
        await test.kernel.outbox.settle()
        #expect(try await got(test, .string(id))["undoStatus"] == "canceled")
        #expect(test.server.messages(of: "grace@example.org").isEmpty)
        let again = try await test.call("EmailSubmission/set", ["update": [id: ["undoStatus": "pending"]]])
        #expect(again["notUpdated"][id]?["type"] == "invalidProperties")
        let gone = try await test.call("EmailSubmission/set", ["destroy": [.string(id)]])
        #expect(gone["destroyed"].strings == [id])
    }

    /// A client that deletes a message expects it not to go out; one that only tidies up says so with the submission.
    @Test func anEmailThatIsWaitingToBeSentIsNotDestroyed() async throws {
        let test = try await TestKernel()
        let email = try #require(try await draft(test).stringValue)
        let made = try await submit(test, .string(email))[0]["created"]["k"]
        let id = try #require(made?["id"]?.stringValue)
        let refused = try await test.call("Email/set", ["destroy": [.string(email)]])
        #expect(refused["notDestroyed"][email]?["type"] == "forbidden")
        #expect(
            refused["notDestroyed"][email]?["description"]
                == "The message is waiting to be sent. Cancel it first.")
        let action = try await test.kernel.actions.perform(
            .destroy, on: .emails([Id(email)]), in: test.ada, client: "page")
        #expect(action.changed == 0 && action.refused == 1)
        _ = try await test.call("EmailSubmission/set", ["update": [id: ["undoStatus": "canceled"]]])
        let gone = try await test.call("Email/set", ["destroy": [.string(email)]])
        #expect(gone["destroyed"].strings == [email])
        test.clock.advance(by: 60)
        await test.kernel.outbox.settle()
        #expect(test.server.messages(of: "grace@example.org").isEmpty)
    }

    /// What is stored in case the end of a try is never noted is not shown while the try is made.
    @Test func whatIsHandedOverHasNotFailed() async throws {
        let test = try await TestKernel()
        let id = try #require(
            try await submit(test, try await draft(test))[0]["created"]["k"]?["id"]?.stringValue)
        var tried = try #require(try await test.storage.submissions([Id(id)], in: test.ada).first)
        tried.undoStatus = .final
        tried.sendState = .sending
        tried.mayHaveBeenSent = true
        tried.failure = "The result of sending could not be saved."
        tried.nextTryAt = test.clock.now.addingTimeInterval(400)
        try await test.kernel.store.commit([.putSubmission(tried)])
        let shown = try await got(test, .string(id))
        #expect(shown["sendState"] == "sending")
        #expect(shown["failure"] == .null && shown["mayHaveBeenSent"] == false)
    }

    @Test func whatWasSentCannotBeUnsentAndWhatIsQueuedCannotBeDestroyed() async throws {
        let test = try await TestKernel()
        let id = try #require(
            try await submit(test, try await draft(test))[0]["created"]["k"]?["id"]?.stringValue)
        let kept = try await test.call("EmailSubmission/set", ["destroy": [.string(id)]])
        #expect(kept["notDestroyed"][id]?["type"] == "forbidden")
        test.clock.advance(by: 5)
        try await test.wait(for: "sent") { try await got(test, .string(id))["sendState"] == "sent" }
        let answer = try await test.call("EmailSubmission/set", ["update": [id: ["undoStatus": "canceled"]]])
        #expect(answer["notUpdated"][id]?["type"] == "cannotUnsend")
    }

    @Test(
        arguments: [
            (["emailId": "none"], [:], "invalidProperties"),
            (["identityId": "none"], [:], "invalidProperties"),
            (["sendAt": "2030-01-01T00:00:00Z"], [:], "invalidProperties"),
            (["undoStatus": "final"], [:], "invalidProperties"),
            ([:], ["from": [["email": "eve@example.org"]]], "forbiddenFrom"),
            ([:], ["from": nil], "invalidEmail"), ([:], ["to": nil, "bcc": nil], "noRecipients"),
            ([:], ["to": [["email": "not an address"]]], "invalidRecipients"),
            (
                [
                    "envelope": [
                        "mailFrom": ["email": "eve@example.org"], "rcptTo": [["email": "a@example.org"]],
                    ]
                ], [:], "forbiddenMailFrom"
            ),
            (["envelope": ["mailFrom": ["email": "ada@example.org"], "rcptTo": []]], [:], "noRecipients"),
            (
                ["envelope": ["mailFrom": ["email": "ada@example.org"], "rcptTo": [["email": "a b@x"]]]], [:],
                "invalidRecipients"
            ),
            (
                [
                    "envelope": [
                        "mailFrom": ["email": "ada@example.org"], "rcptTo": [["email": "a@x.org>\r\nDATA"]],
                    ]
                ], [:], "invalidRecipients"
            ),
            (
                [
                    "envelope": [
                        "mailFrom": ["email": "ada@example.org", "parameters": ["SIZE": "60"]],
                        "rcptTo": [["email": "a@x.org"]],
                    ]
                ], [:], "invalidProperties"
            ),
            (["envelope": 1], [:], "invalidProperties"),
        ] as [(JSONValue, JSONValue, String)])
    func whatCannotBeSent(_ submission: JSONValue, _ email: JSONValue, _ type: String) async throws {
        let test = try await TestKernel()
        let answer = try await submit(test, try await draft(test, email), submission)[0]
        let stored = try await test.emailIDs().first
        let header = try await stored.asyncMap { try await test.email($0).header }
        #expect(
            answer["notCreated"]["k"]?["type"] == .string(type),
            "\(answer.arguments) \(String(describing: header))")
        #expect(try await test.call("EmailSubmission/get")["list"] == [])
    }

    @Test func tooManyRecipientsAreRefused() async throws {
        let test = try await TestKernel()
        let many = JSONValue.array((0...500).map { ["email": .string("r\($0)@example.org")] })
        let answer = try await submit(
            test, try await draft(test),
            ["envelope": ["mailFrom": ["email": "ada@example.org"], "rcptTo": many]])[0]
        #expect(answer["notCreated"]["k"]?["type"] == "tooManyRecipients")
        #expect(answer["notCreated"]["k"]?["maxRecipients"]?.intValue == 500)
    }

    @Test func anAccountThatCannotSendSaysSo() async throws {
        let test = try await TestKernel(lacking: [.submission])
        let answer = try await test.call(
            "EmailSubmission/set", ["create": ["k": ["identityId": "i", "emailId": try await draft(test)]]])
        #expect(answer["notCreated"]["k"]?["type"] == "forbiddenToSend")
        for (method, arguments) in [
            ("Identity/get", [:]), ("Identity/changes", ["sinceState": "0"]), ("Identity/set", [:]),
            ("EmailSubmission/get", [:]), ("EmailSubmission/changes", ["sinceState": "0"]),
            ("EmailSubmission/query", [:]), ("EmailSubmission/queryChanges", ["sinceQueryState": "0"]),
        ] as [(String, JSONValue)] {
            #expect(
                try await test.call(method, arguments).error == "accountNotSupportedByMethod", "\(method)")
        }
    }

    /// Section 7.5: what follows on success may name a submission as an earlier call of the request made it.
    @Test func aFollowUpFindsASubmissionOfAnEarlierCall() async throws {
        let test = try await TestKernel()
        let (email, identity) = (try await draft(test), try await identity(test))
        let account = JSONValue.string(test.ada.rawValue)
        let answers = try await test.calls([
            (
                "EmailSubmission/set",
                ["accountId": account, "create": ["k": ["identityId": identity, "emailId": email]]]
            ),
            (
                "EmailSubmission/set",
                [
                    "accountId": account, "update": ["#k": ["undoStatus": "canceled"]],
                    "onSuccessUpdateEmail": ["#k": ["keywords/$flagged": true]],
                ]
            ),
        ])
        #expect(answers.map(\.name) == ["EmailSubmission/set", "EmailSubmission/set", "Email/set"])
        #expect(answers.last?["updated"].keys == [email.stringValue ?? ""])
    }

    @Test func aBadFollowUpDoesNotHideWhatWasSubmitted() async throws {
        let test = try await TestKernel()
        let email = try await draft(test)
        let refused = try await submit(test, email, set: ["onSuccessUpdateEmail": ["#k": 1]])
        #expect(refused.map(\.error) == ["invalidArguments"])
        #expect(try await test.call("EmailSubmission/get")["list"] == [])
        let answers = try await submit(test, email, set: ["onSuccessUpdateEmail": ["#k": ["subject": "x"]]])
        #expect(answers[0]["created"]["k"] != nil)
        #expect(answers[1]["notUpdated"][email.stringValue ?? ""]?["type"] == "invalidProperties")
    }

    @Test func draftsCanBeDestroyedOnSuccess() async throws {
        let test = try await TestKernel()
        let email = try await draft(test)
        let answers = try await submit(test, email, set: ["onSuccessDestroyEmail": ["#k"]])
        #expect(answers[1]["destroyed"] == [email])
        test.clock.advance(by: 5)
        try await test.wait(for: "delivery") { !test.server.messages(of: "grace@example.org").isEmpty }
    }

    @Test func submissionsAreFound() async throws {
        let test = try await TestKernel()
        var ids: [String] = []
        for _ in 0..<3 {
            ids.append(
                try #require(
                    try await submit(test, try await draft(test))[0]["created"]["k"]?["id"]?.stringValue))
            test.clock.advance(by: 1)
        }
        _ = try await test.call("EmailSubmission/set", ["update": [ids[1]: ["undoStatus": "canceled"]]])
        let pending = try await test.call(
            "EmailSubmission/query",
            [
                "filter": ["undoStatus": "pending"], "sort": [["property": "sentAt", "isAscending": false]],
                "calculateTotal": true,
            ])
        #expect(pending["ids"].strings == [ids[2], ids[0]] && pending["total"] == 2)
        let unchanged = try await test.call(
            "EmailSubmission/queryChanges",
            ["sinceQueryState": pending["queryState"], "calculateTotal": true])
        #expect(unchanged["total"] == 3 && unchanged["removed"] == [] && unchanged["added"] == [])
        #expect(
            try await test.call("EmailSubmission/queryChanges", ["sinceQueryState": "x"]).error
                == "cannotCalculateChanges")
        #expect(
            try await test.call("EmailSubmission/query", ["filter": ["color": "x"]]).error
                == "unsupportedFilter")
        #expect(
            try await test.call("EmailSubmission/query", ["sort": [["property": "x"]]]).error
                == "unsupportedSort")
    }

    // MARK: Identities

    @Test func identitiesComeWithTheAccountAndCanBeAdded() async throws {
        let test = try await TestKernel()
        let first = try #require(try await test.call("Identity/get")["list"][0])
        #expect(first["email"] == "ada@example.org" && first["mayDelete"] == false)
        let answer = try await test.call(
            "Identity/set",
            [
                "create": [
                    "a": ["email": "ADA@example.org", "name": "Countess", "textSignature": "-- A"],
                    "b": ["email": "eve at example.org"], "c": [:],
                    "alias": ["email": "countess@example.org"],
                    "d": ["email": "ada@example.org", "replyTo": 1],
                ],
                "update": [
                    "none": [:], first["id"]?.stringValue ?? "": ["bcc": [["email": "me@example.org"]]],
                ],
                "destroy": [first["id"] ?? .null],
            ])
        #expect(answer["created"].keys == ["a", "alias"])
        #expect(answer["notCreated"]["b"]?["properties"] == ["email"])
        #expect(answer["notCreated"]["c"]?["properties"] == ["email"])
        #expect(answer["notCreated"]["d"]?["properties"] == ["replyTo"])
        #expect(answer["notUpdated"]["none"]?["type"] == "notFound")
        #expect(answer["notDestroyed"][first["id"]?.stringValue ?? ""]?["type"] == "forbidden")
        let changes = try await test.call("Identity/changes", ["sinceState": answer["oldState"]])
        #expect(changes["created"].strings.count == 2 && changes["updated"].strings.count == 1)
    }

    @Test func signaturesAreCleanedAndRepliesCanHaveTheirOwn() async throws {
        let test = try await TestKernel()
        let id = try #require(try await test.call("Identity/get")["list"][0]?["id"]?.stringValue)
        func prefill(_ arguments: JSONValue) async throws -> String {
            try await test.call("Draft/prefill", arguments)["draft"]["html"]?.stringValue ?? ""
        }
        let reply: JSONValue = [
            "mode": "reply", "emailId": .string(try await test.add("From: b@example.org\r\n\r\nHi\r\n")),
        ]
        let answer = try await test.call(
            "Identity/set", ["update": [id: ["htmlSignature": "<p onclick=x()><b>Ada</b></p>"]]])
        #expect(answer["updated"][id]?["htmlSignature"] == "<p><b>Ada</b></p>")
        let signature = "<div class=\"moz-signature\"><p><b>Ada</b></p></div>"
        #expect(try await prefill(["mode": "new"]) == "<p><br></p>\(signature)")
        #expect(try await prefill(reply).hasPrefix("<p><br></p>\(signature)<div class=\"moz-cite-prefix\">"))
        _ = try await test.call("Identity/set", ["update": [id: ["replySignature": "A."]]])
        #expect(try await test.call("Identity/get")["list"][0]?["replySignature"] == "A.")
        #expect(try await prefill(reply).contains("<div class=\"moz-signature\">A.</div>"))
        #expect(try await prefill(["mode": "new"]).contains(signature))
        _ = try await test.call("Identity/set", ["update": [id: ["replySignature": ""]]])
        #expect(try await !prefill(reply).contains("moz-signature"))
        _ = try await test.call("Identity/set", ["update": [id: ["replySignature": .null]]])
        #expect(try await prefill(reply).contains(signature))
    }
}

extension Optional {
    func asyncMap<T>(_ f: (Wrapped) async throws -> T) async throws -> T? {
        guard let self else { return nil }
        return try await f(self)
    }
}
