import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Email/set (RFC 8621, section 4.6)") struct EmailSetTests {
    private func created(_ object: JSONValue, in test: TestKernel) async throws -> CallAnswer {
        var members = object.objectValue ?? [:]
        if members["mailboxIds"] == nil {
            members["mailboxIds"] = [try await test.mailbox(.drafts).rawValue: true]
        }
        return try await test.call("Email/set", ["create": ["k": .object(members)]])
    }

    /// The example of the section.
    /// RFC 8620, section 5.3: the client learns which property is wrong.
    @Test func aHeaderThatCannotBeWrittenIsNamed() async throws {
        let test = try await TestKernel()
        let drafts = try await test.mailbox(.drafts).rawValue
        for (key, value) in [
            ("subject", "a\u{0}b"), ("header:X-Made:asRaw", " a\r\nBcc: b@example.org"),
            ("header:X-A", " a\u{0}"),
        ] {
            let answer = try await test.call(
                "Email/set", ["create": ["k": ["mailboxIds": [drafts: true], key: .string(value)]]])
            #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties", "\(key): \(answer.arguments)")
            #expect(answer["notCreated"]["k"]?["properties"]?.strings == [key], "\(answer.arguments)")
        }
    }

    @Test func aDraftIsMade() async throws {
        let test = try await TestKernel()
        let answer = try await created(
            [
                "keywords": ["$seen": true, "$draft": true],
                "from": [["name": "Joe Bloggs", "email": "joe@example.com"]],
                "subject": "World domination – now", "to": [["name": nil, "email": "grace@example.org"]],
                "receivedAt": "2018-07-10T01:03:11Z", "sentAt": "2018-07-10T11:03:11+10:00",
                "bodyStructure": [
                    "type": "multipart/alternative",
                    "subParts": [
                        ["partId": "a49d", "type": "text/html"], ["partId": "bd48", "type": "text/plain"],
                    ],
                ],
                "bodyValues": [
                    "bd48": ["value": "I have the most brilliant plan. ☂", "isTruncated": false],
                    "a49d": ["value": "<!DOCTYPE html><html><body>Plan</body></html>", "isTruncated": false],
                ],
            ], in: test)
        let made = answer["created"]["k"]
        #expect(made?.keys == ["blobId", "id", "size", "threadId"])
        let id = try #require(made?["id"])
        let read = try await test.call(
            "Email/get",
            [
                "ids": [id], "fetchAllBodyValues": true,
                "properties": [
                    "subject", "from", "keywords", "receivedAt", "bodyStructure", "bodyValues", "messageId",
                    "to",
                    "size", "sentAt",
                ],
            ])["list"][0]
        #expect(read?["subject"] == "World domination – now" && read?["receivedAt"] == "2018-07-10T01:03:11Z")
        #expect(read?["keywords"] == ["$seen": true, "$draft": true])
        #expect(read?["bodyStructure"]?["subParts"]?[0]?["type"] == "text/html")
        #expect(read?["messageId"]?.strings.count == 1)
        let values = read?["bodyValues"]?.objectValue?.values.compactMap { $0["value"]?.stringValue } ?? []
        #expect(values.contains { $0.contains("brilliant plan. ☂") })
        #expect(made?["size"] == read?["size"])
    }

    @Test func textHTMLAndAttachments() async throws {
        let test = try await TestKernel()
        let blob = try await test.upload("some bytes", type: "application/x-thing")
        let answer = try await created(
            [
                "from": [["email": "ada@example.org"]], "subject": "All of it",
                "textBody": [["partId": "t", "type": "text/plain"]],
                "htmlBody": [["partId": "h", "type": "text/html"]],
                "attachments": [
                    ["blobId": .string(blob), "type": "application/x-thing", "name": "Ünïcode näme.bin"],
                    [
                        "blobId": .string(blob), "type": "image/png", "cid": "pic", "disposition": "inline",
                        "name": "p.png",
                    ],
                ],
                "bodyValues": ["t": ["value": "text"], "h": ["value": "<b>html</b><img src=cid:pic>"]],
                "header:X-Mine:asText": "Grüße", "header:X-Many:asText:all": ["one", "two"],
            ], in: test)
        let id = try #require(answer["created"]["k"]?["id"])
        let read = try await test.call(
            "Email/get",
            [
                "ids": [id],
                "properties": [
                    "attachments", "textBody", "htmlBody", "header:X-Mine:asText", "header:X-Many:asText:all",
                ],
            ])["list"][0]
        let attached = read?["attachments"]?.arrayValue?.first { $0["name"] == "Ünïcode näme.bin" }
        #expect(read?["attachments"]?.arrayValue?.contains { $0["cid"] == "pic" } == true)
        #expect(
            read?["textBody"]?[0]?["type"] == "text/plain" && read?["htmlBody"]?[0]?["type"] == "text/html")
        #expect(
            read?["header:X-Mine:asText"] == "Grüße" && read?["header:X-Many:asText:all"] == ["one", "two"])
        let part = try #require(attached?["blobId"]?.stringValue)
        #expect(try await test.download(part) == Data("some bytes".utf8))
    }

    @Test(
        arguments: [
            (["mailboxIds": [:]], "mailboxIds"), (["mailboxIds": ["nope": true]], "mailboxIds"),
            (["mailboxIds": 1], "mailboxIds"), (["keywords": ["a b": true]], "keywords"),
            (["keywords": ["$seen": false]], "keywords"), (["keywords": ["ü": true]], "keywords"),
            (["keywords": [:], "receivedAt": "noon"], "receivedAt"), (["id": "M1"], "id"),
            (["blobId": "B1"], "blobId"), (["threadId": "T1"], "threadId"), (["size": 1], "size"),
            (["hasAttachment": true], "hasAttachment"), (["preview": "x"], "preview"),
            (["headers": []], "headers"),
            (["from": "ada"], "from"), (["from": [["name": "no address"]]], "from"),
            (["subject": 1], "subject"),
            (["header:From:asDate": "x"], "header:From:asDate"),
            (["subject": "a", "header:Subject:asText": "b"], "subject"),
            (["header:Content-Type": " text/plain"], "header:Content-Type"),
            (["textBody": []], "textBody"), (["textBody": [["partId": "x"]]], "bodyValues"),
            (
                ["textBody": [["partId": "x", "type": "text/html"]], "bodyValues": ["x": ["value": ""]]],
                "textBody"
            ),
            (
                ["htmlBody": [["partId": "x", "type": "text/plain"]], "bodyValues": ["x": ["value": ""]]],
                "htmlBody"
            ),
            (["bodyValues": []], "bodyValues"), (["bodyValues": ["x": ["value": 1]]], "bodyValues"),
            (["bodyValues": ["x": ["value": "a", "isTruncated": true]]], "bodyValues"),
            (["bodyValues": ["x": ["value": "a", "isEncodingProblem": true]]], "bodyValues"),
            (["attachments": "x"], "attachments"), (["attachments": [["type": "a/b"]]], "attachments"),
            (["attachments": [["partId": "x", "blobId": "y"]]], "attachments"),
            (["bodyStructure": ["type": "multipart/mixed"]], "bodyStructure/subParts"),
            (
                [
                    "bodyStructure": ["partId": "x"], "textBody": [["partId": "x"]],
                    "bodyValues": ["x": ["value": ""]],
                ], "textBody"
            ),
            (
                ["bodyStructure": ["partId": "x", "charset": "utf-8"], "bodyValues": ["x": ["value": ""]]],
                "bodyStructure"
            ),
            (
                ["bodyStructure": ["partId": "x", "headers": []], "bodyValues": ["x": ["value": ""]]],
                "bodyStructure/headers"
            ),
            (
                [
                    "bodyStructure": ["partId": "x", "header:Content-Transfer-Encoding:asText": "8bit"],
                    "bodyValues": ["x": ["value": ""]],
                ],
                "bodyStructure/header:Content-Transfer-Encoding:asText"
            ),
            (
                [
                    "bodyStructure": [
                        "partId": "x", "type": "text/plain", "header:Content-Type:asText": "a/b",
                    ], "bodyValues": ["x": ["value": ""]],
                ],
                "bodyStructure/header:Content-Type:asText"
            ),
        ] as [(JSONValue, String)])
    func whatCannotBeIsNamed(_ object: JSONValue, _ property: String) async throws {
        let test = try await TestKernel()
        let answer = try await created(object, in: test)
        let error = try #require(answer["notCreated"]["k"])
        #expect(error["type"] == "invalidProperties")
        #expect(
            error["properties"]?.strings.contains { $0 == property || $0 == "header:Subject:asText" } == true,
            "\(error)")
        #expect(answer["created"] == .null && answer["oldState"] == answer["newState"])
        #expect(try await test.emailIDs().isEmpty)
    }

    @Test func aBlobThatIsNotThereIsNamed() async throws {
        let test = try await TestKernel()
        let answer = try await created(["attachments": [["blobId": "gone", "type": "a/b"]]], in: test)
        #expect(answer["notCreated"]["k"]?["type"] == "blobNotFound")
        #expect(answer["notCreated"]["k"]?["notFound"] == ["gone"])
        let there = try await test.upload("x")
        let several = try await created(
            [
                "attachments": [
                    ["blobId": "gone", "type": "a/b"], ["blobId": .string(there), "type": "a/b"],
                    ["blobId": "away", "type": "a/b"], ["blobId": "gone", "type": "a/b"],
                ]
            ], in: test)
        #expect(several["notCreated"]["k"]?["notFound"] == ["gone", "away"])
        #expect(try await test.emailIDs().isEmpty)
    }

    @Test func aTextInABlobIsReadInItsCharset() async throws {
        let test = try await TestKernel()
        let upload = try await test.jmap.upload(
            type: "text/plain", to: test.ada.rawValue, for: TestKernel.page)
        try await upload.write(Data([0x47, 0x72, 0xFC, 0xDF, 0x65]))
        let blob =
            try JSONDecoder().decode(JSONValue.self, from: try await upload.finish())["blobId"] ?? .null
        let right = try await created(
            ["textBody": [["blobId": blob, "type": "text/plain", "charset": "iso-8859-1"]]], in: test)
        let id = try #require(right["created"]["k"]?["id"])
        let read = try await test.call(
            "Email/get", ["ids": [id], "properties": ["bodyValues"], "fetchTextBodyValues": true])
        #expect(read["list"][0]?["bodyValues"]?["1"]?["value"] == "Grüße")
        let wrong = try await created(["textBody": [["blobId": blob, "type": "text/plain"]]], in: test)
        #expect(wrong["notCreated"]["k"]?["properties"] == ["textBody"])
    }

    @Test func aFieldIsSetOnceOnly() async throws {
        let test = try await TestKernel()
        for more in [
            ["header:X-A": "1", "header:X-A:all": ["2", "3"]],
            ["header:X-A:all": ["2", "3"], "header:x-a:asText:all": ["4", "5"]],
            ["subject": "1", "header:Subject:asText:all": ["2", "3"]],
        ] as [JSONValue] {
            let answer = try await created(more, in: test)
            #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties", "\(more)")
        }
        #expect(try await created(["header:X-A:all": ["2", "3"]], in: test)["created"]["k"] != nil)
    }

    @Test func lineBreaksDoNotMakeHeaderFields() async throws {
        let test = try await TestKernel()
        let answer = try await created(
            ["subject": "a\r\nBcc: evil@example.org", "header:X-A": "b\r\nX-Evil: yes"], in: test)
        if let id = answer["created"]["k"]?["id"] {
            let read = try await test.call(
                "Email/get", ["ids": [id], "properties": ["bcc", "header:X-Evil"]])["list"][0]
            #expect(read?["bcc"] == .null && read?["header:X-Evil"] == .null)
        } else {
            #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties")
        }
    }

    // MARK: Destroy

    /// Two clients empty the same mailbox: each email is destroyed by one of them, and none is kept by the other.
    @Test func destroysOfTwoClientsDoNotHinderEachOther() async throws {
        let test = try await TestKernel(messages: 60)
        let all = try await test.emailIDs().map { JSONValue.string($0.rawValue) }
        for start in stride(from: 0, to: 60, by: 12) {
            async let one = test.call("Email/set", ["destroy": .array(Array(all[start..<start + 8]))])
            async let other = test.call("Email/set", ["destroy": .array(Array(all[start + 4..<start + 12]))])
            let answers = try await [one, other]
            let destroyed = answers.flatMap { $0["destroyed"].strings }
            #expect(Set(destroyed).count == 12 && destroyed.count == 12)
            let kept = answers.flatMap { $0["notDestroyed"].objectValue?.values.map { $0["type"] } ?? [] }
            #expect(kept == Array(repeating: "notFound", count: 4))
        }
        #expect(try await test.emailIDs().isEmpty)
    }

    // MARK: Update

    private func update(_ patch: JSONValue, _ test: TestKernel, _ id: String) async throws -> CallAnswer {
        try await test.call("Email/set", ["update": [id: patch]])
    }

    @Test func keywordsAndMailboxesChangeByPatchOrAsAWhole() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let (inbox, trash) = (
            try await test.mailbox(.inbox).rawValue, try await test.mailbox(.trash).rawValue
        )
        #expect(
            try await update(["keywords/$Flagged": true], test, id.rawValue)["updated"][id.rawValue] == .null)
        #expect(try await test.email(id).keywords.contains(.flagged))
        _ = try await update(["keywords/$flagged": nil, "keywords/mine": true], test, id.rawValue)
        #expect(try await test.email(id).keywords.map(\.rawValue) == ["mine"])
        _ = try await update(["keywords": ["$seen": true]], test, id.rawValue)
        #expect(try await test.email(id).keywords == [.seen])
        _ = try await update(["mailboxIds/\(trash)": true, "mailboxIds/\(inbox)": nil], test, id.rawValue)
        #expect(try await test.email(id).mailboxIDs.map(\.rawValue) == [trash])
        _ = try await update(["mailboxIds": [inbox: true, trash: true]], test, id.rawValue)
        #expect(try await test.email(id).mailboxIDs.count == 2)
    }

    @Test(
        arguments: [
            (["keywords/$seen": false], "invalidProperties"), (["subject": "new"], "invalidProperties"),
            (["keywords": ["a": true], "keywords/b": true], "invalidPatch"),
            (["keywords/a/b": true], "invalidPatch"), (["mailboxIds": [:]], "invalidProperties"),
            (["mailboxIds/nope": true], "invalidProperties"), (["keywords": 1], "invalidProperties"),
            (["": 1], "invalidProperties"), (["keywords/": true], "invalidProperties"),
            (["receivedAt": "2018-07-10T01:03:11Z"], "invalidProperties"),
        ] as [(JSONValue, String)])
    func aPatchThatCannotBeChangesNothing(_ patch: JSONValue, _ type: String) async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let before = try await test.email(id)
        let answer = try await update(patch, test, id.rawValue)
        #expect(answer["notUpdated"][id.rawValue]?["type"] == .string(type))
        #expect(try await test.email(id) == before)
    }

    @Test func oneBadUpdateDoesNotKeepTheOthers() async throws {
        let test = try await TestKernel(messages: 2)
        let ids = try await test.emailIDs().map(\.rawValue)
        let answer = try await test.call(
            "Email/set",
            [
                "update": [ids[0]: ["keywords/$flagged": true], ids[1]: ["nope": 1], "missing": [:]],
                "destroy": ["gone", .string(ids[1])],
            ])
        #expect(answer["updated"].keys == [ids[0]])
        #expect(answer["notUpdated"]["missing"]?["type"] == "notFound")
        #expect(answer["destroyed"].strings == [ids[1]])
        #expect(answer["notDestroyed"]["gone"]?["type"] == "notFound")
    }

    @Test func anAccountOfFoldersTakesOneMailboxPerEmail() async throws {
        let test = try await TestKernel(messages: 1, layout: .folders)
        let id = try await test.emailIDs()[0].rawValue
        let answer = try await update(["mailboxIds/\(try await test.mailbox(.trash))": true], test, id)
        #expect(answer["notUpdated"][id]?["type"] == "tooManyMailboxes")
    }

    @Test func idsOfThisRequestCanBeUsedInIt() async throws {
        let test = try await TestKernel()
        let account = JSONValue.string(test.ada.rawValue)
        let answers = try await test.calls([
            ("Mailbox/set", ["accountId": account, "create": ["box": ["name": "New"]]]),
            (
                "Email/set",
                ["accountId": account, "create": ["k": ["mailboxIds": ["#box": true], "subject": "x"]]]
            ), ("Email/get", ["accountId": account, "ids": ["#k"], "properties": ["mailboxIds"]]),
            ("Email/set", ["accountId": account, "destroy": ["#k"]]),
        ])
        let box = try #require(answers[0]["created"]["box"]?["id"]?.stringValue)
        #expect(answers[2]["list"][0]?["mailboxIds"] == [box: true])
        #expect(answers[3]["destroyed"].strings.count == 1)
    }

    // MARK: Import and copy

    @Test func importKeepsEveryByte() async throws {
        let test = try await TestKernel()
        let id = try await test.add(
            EmailGetTests.mail, keywords: ["$seen"], receivedAt: "2020-02-02T00:00:00Z")
        let email = try await test.email(Id(id))
        #expect(try await test.download(email.blobID.rawValue) == Data(EmailGetTests.mail.utf8))
        await test.settle()
        #expect(test.server.messages(of: "ada@example.org").first?.bytes == Data(EmailGetTests.mail.utf8))
        let inbox = try await test.mailbox(.inbox).rawValue
        let notAMessage = try await test.upload("\r\nno header")
        let answer = try await test.call(
            "Email/import",
            [
                "emails": [
                    "a": ["blobId": "none", "mailboxIds": [inbox: true]],
                    "b": ["blobId": .string(notAMessage), "mailboxIds": [inbox: true]],
                    "c": ["blobId": .string(notAMessage), "mailboxIds": [:]],
                    "d": ["mailboxIds": [inbox: true]],
                    "e": ["blobId": .string(notAMessage), "mailboxIds": [inbox: true], "subject": "x"],
                    "f": 1,
                ]
            ])
        let types = (answer["notCreated"].objectValue ?? [:]).mapValues { $0["type"]?.stringValue }
        #expect(
            types == [
                "a": "invalidProperties", "b": "invalidEmail", "c": "invalidProperties",
                "d": "invalidProperties",
                "e": "invalidProperties", "f": "invalidProperties",
            ])
    }

    private func copy(_ test: TestKernel, _ more: JSONValue = [:]) async throws -> [CallAnswer] {
        let id = try await test.add(EmailGetTests.mail, keywords: ["$flagged"])
        var arguments: [String: JSONValue] = [
            "fromAccountId": .string(test.ada.rawValue), "accountId": .string(test.grace.rawValue),
            "create": [
                "k": [
                    "id": .string(id),
                    "mailboxIds": [try await test.mailbox(.inbox, of: test.grace).rawValue: true],
                ],
                "n": [
                    "id": "none",
                    "mailboxIds": [try await test.mailbox(.inbox, of: test.grace).rawValue: true],
                ],
            ],
        ]
        arguments.merge(more.objectValue ?? [:]) { _, new in new }
        return try await test.calls([("Email/copy", .object(arguments))])
    }

    /// RFC 8621, section 4.7.
    @Test func copyTakesAnEmailToAnotherAccount() async throws {
        let test = try await TestKernel()
        let answer = try await copy(test)[0]
        #expect(answer["fromAccountId"] == .string(test.ada.rawValue))
        let id = try #require(answer["created"]["k"]?["id"]?.stringValue)
        #expect(answer["notCreated"]["n"]?["type"] == "notFound")
        let copied = try await test.email(Id(id), of: test.grace)
        #expect(copied.keywords == [.flagged])
        #expect(
            try await test.download(copied.blobID.rawValue, of: test.grace) == Data(EmailGetTests.mail.utf8))
        #expect(try await test.emailIDs().count == 1)
    }

    @Test func copyCanMove() async throws {
        let test = try await TestKernel()
        let answers = try await copy(test, ["onSuccessDestroyOriginal": true])
        #expect(answers.map(\.name) == ["Email/copy", "Email/set"])
        #expect(answers[1]["accountId"] == .string(test.ada.rawValue))
        #expect(answers[1]["destroyed"].strings.count == 1)
        #expect(try await test.emailIDs().isEmpty)
    }

    @Test func aCopyStandsThoughItsOriginalCannotBeDestroyed() async throws {
        let test = try await TestKernel()
        let answers = try await copy(
            test, ["onSuccessDestroyOriginal": true, "destroyFromIfInState": "old"])
        #expect(answers.map(\.name) == ["Email/copy", "error"])
        #expect(answers[0]["created"]["k"] != nil && answers[1].error == "stateMismatch")
        #expect(answers[1].callID == answers[0].callID)
        #expect(try await test.emailIDs().count == 1)
    }

    @Test func copyRefusesWhatCannotBe() async throws {
        let test = try await TestKernel()
        #expect(try await copy(test, ["fromAccountId": "none"])[0].error == "fromAccountNotFound")
        #expect(
            try await copy(test, ["fromAccountId": "program"])[0].error == "fromAccountNotSupportedByMethod")
        #expect(try await copy(test, ["accountId": "none"])[0].error == "accountNotFound")
        #expect(
            try await copy(test, ["accountId": .string(test.ada.rawValue)])[0].error == "invalidArguments")
        #expect(try await copy(test, ["ifFromInState": "old"])[0].error == "stateMismatch")
        #expect(try await copy(test, ["ifInState": "old"])[0].error == "stateMismatch")
    }

    /// RFC 8620, section 6.3.
    @Test func blobsAreCopied() async throws {
        let test = try await TestKernel()
        let blob = try await test.upload("bytes")
        let answer = try await test.call(
            "Blob/copy",
            [
                "fromAccountId": .string(test.ada.rawValue), "accountId": .string(test.grace.rawValue),
                "blobIds": [.string(blob), "none"],
            ])
        let copied = try #require(answer["copied"][blob]?.stringValue)
        #expect(try await test.download(copied, of: test.grace) == Data("bytes".utf8))
        #expect(answer["notCopied"]["none"]?["type"] == "notFound")
    }
}
