import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// RFC 8620, section 5.3: what only the server sets may be given as it is, so that whole objects can be sent back.
@Suite("Whole objects can be sent back") struct WholeObjectTests {
    private static let message = """
        From: Ada <ada@example.org>\r\nTo: grace@example.org\r\nSubject: Whole\r\nMessage-ID: <w@example.org>\r
        Date: Tue, 3 Jan 2023 10:00:00 +0100\r\nX-Own: one\r\nMIME-Version: 1.0\r
        Content-Type: multipart/mixed; boundary=b\r\n\r
        --b\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r
        --b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nbytes\r\n--b--\r\n
        """

    @Test func anEmailAsItIs() async throws {
        let test = try await TestKernel()
        let id = try await test.add(Self.message)
        for arguments in [
            ["ids": [.string(id)]], ["ids": [.string(id)], "fetchAllBodyValues": true],
            [
                "ids": [.string(id)],
                "properties": [
                    "id", "headers", "bodyStructure", "header:X-Own:asText", "header:X-Own:all", "sentAt",
                    "size",
                    "preview",
                ], "bodyProperties": ["partId", "type", "headers", "subParts"],
            ],
        ] as [JSONValue] {
            var whole = try #require(try await test.call("Email/get", arguments)["list"][0]?.objectValue)
            let same = try await test.call("Email/set", ["update": [id: .object(whole)]])
            #expect(same["updated"].keys == [id], "\(same.arguments)")
            whole["keywords"] = ["$flagged": true]
            let changed = try await test.call("Email/set", ["update": [id: .object(whole)]])
            #expect(changed["updated"].keys == [id], "\(changed.arguments)")
            _ = try await test.call("Email/set", ["update": [id: ["keywords": [:]]]])
        }
    }

    @Test(
        arguments: [
            ("id", "other"), ("subject", "Other"), ("size", 1), ("hasAttachment", false), ("sentAt", nil),
            ("receivedAt", "2020-01-01T00:00:00Z"), ("from", []), ("preview", "x"), ("threadId", "T"),
            ("header:X-Own:asText", "two"), ("bodyValues", ["1": ["value": "Other"]]), ("textBody", []),
            ("color", "red"), ("header:Subject:asDate", "x"),
        ] as [(String, JSONValue)])
    func whatDiffersIsNamed(_ name: String, _ value: JSONValue) async throws {
        let test = try await TestKernel()
        let id = try await test.add(Self.message)
        let state = try await test.call("Email/get", ["ids": []])["state"]
        let answer = try await test.call(
            "Email/set", ["update": [id: [name: value, "keywords/$seen": true]]])
        #expect(answer["notUpdated"][id]?["type"] == "invalidProperties", "\(answer.arguments)")
        #expect(answer["notUpdated"][id]?["properties"]?.strings == [name])
        #expect(answer["newState"] == state)
    }

    @Test func aPathIntoAnArrayIsNoPatch() async throws {
        let test = try await TestKernel()
        let id = try await test.add(Self.message)
        for path in ["from/0/email", "keywords/a/b", "none/at/all", "mailboxIds/x/y"] {
            let answer = try await test.call("Email/set", ["update": [id: [path: "x"]]])
            let type = answer["notUpdated"][id]?["type"]
            #expect(type == "invalidPatch" || path == "none/at/all", "\(path) \(answer.arguments)")
        }
    }

    @Test func mailboxesIdentitiesAndSubmissions() async throws {
        let test = try await TestKernel()
        for method in ["Mailbox", "Identity"] {
            for object in try await test.call("\(method)/get")["list"].arrayValue ?? [] {
                let id = object["id"]?.stringValue ?? ""
                let answer = try await test.call("\(method)/set", ["update": [id: object]])
                #expect(answer["updated"].keys == [id], "\(answer.arguments)")
                #expect(answer["oldState"] == answer["newState"])
            }
        }
        let inbox = try await test.mailbox(.inbox).rawValue
        for (path, value) in [("myRights/mayDelete", true), ("totalEmails", 7), ("id", "x")]
            as [(String, JSONValue)]
        {
            let answer = try await test.call("Mailbox/set", ["update": [inbox: [path: value]]])
            #expect(answer["notUpdated"][inbox]?["type"] == "invalidProperties", "\(answer.arguments)")
        }
    }

    /// What only the server sets must not be there in a create.
    @Test(arguments: ["id", "blobId", "threadId", "size", "hasAttachment", "preview", "headers", "color"])
    func aCreateLeavesItToTheServer(_ name: String) async throws {
        let test = try await TestKernel()
        let drafts = try await test.mailbox(.drafts).rawValue
        let answer = try await test.call(
            "Email/set", ["create": ["k": ["mailboxIds": [drafts: true], name: "x"]]])
        #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties", "\(answer.arguments)")
        #expect(answer["notCreated"]["k"]?["properties"]?.strings == [name])
    }

    /// RFC 8621, section 4.8.
    @Test func anImportOfNothing() async throws {
        let test = try await TestKernel()
        let inbox = try await test.mailbox(.inbox).rawValue
        for blob in ["none", "Mnone", "#none", "M1-1"] {
            let answer = try await test.call(
                "Email/import", ["emails": ["k": ["blobId": .string(blob), "mailboxIds": [inbox: true]]]])
            #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties", "\(blob) \(answer.arguments)")
            #expect(answer["notCreated"]["k"]?["properties"] == ["blobId"])
        }
    }

    @Test func oneMailboxWhereFoldersAreFolders() async throws {
        let test = try await TestKernel(layout: .folders)
        let (inbox, drafts) = (
            try await test.mailbox(.inbox).rawValue, try await test.mailbox(.drafts).rawValue
        )
        let id = try await test.add("Subject: x\r\nMessage-ID: <x@y>\r\n\r\nx\r\n")
        let both: JSONValue = [inbox: true, drafts: true]
        for patch in [["mailboxIds": both], ["mailboxIds/\(drafts)": true]] as [JSONValue] {
            let answer = try await test.call("Email/set", ["update": [id: patch]])
            #expect(answer["notUpdated"][id]?["type"] == "tooManyMailboxes", "\(answer.arguments)")
        }
        let answer = try await test.call(
            "Email/set", ["create": ["k": ["mailboxIds": both, "subject": "x"]]])
        #expect(answer["notCreated"]["k"]?["type"] == "tooManyMailboxes")
        #expect(answer["notCreated"]["k"]?["properties"] == ["mailboxIds"])
    }
}
