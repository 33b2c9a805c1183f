import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// RFC 8620, section 5.3: creates come first, so that the rest of the same call can name what they made.
@Suite("What is created can be named in the same call") struct CreationReferenceTests {
    @Test func emails() async throws {
        let test = try await TestKernel()
        let drafts = try await test.mailbox(.drafts).rawValue
        let draft: JSONValue = ["mailboxIds": [drafts: true], "subject": "x"]
        let answer = try await test.call(
            "Email/set",
            [
                "create": ["a": draft, "b": draft], "update": ["#a": ["keywords/$seen": true]],
                "destroy": ["#b"],
            ])
        let (a, b) = (answer["created"]["a"]?["id"]?.stringValue, answer["created"]["b"]?["id"]?.stringValue)
        #expect(answer["updated"].keys == [a] && answer["destroyed"].strings == [b], "\(answer.arguments)")
        let read = try await test.call("Email/get", ["ids": [.string(a ?? "")], "properties": ["keywords"]])
        #expect(read["list"][0]?["keywords"] == ["$seen": true])
        let unknown = try await test.call("Email/set", ["update": ["#none": [:]], "destroy": ["#nothing"]])
        #expect(unknown["notUpdated"]["#none"]?["type"] == "notFound")
        #expect(unknown["notDestroyed"]["#nothing"]?["type"] == "notFound")
    }

    @Test func mailboxes() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0].rawValue
        let answers = try await test.calls([
            (
                "Mailbox/set",
                [
                    "accountId": .string(test.ada.rawValue),
                    "create": ["a": ["name": "A"], "b": ["name": "B"], "c": ["name": "C"]],
                    "update": ["#a": ["name": "D", "parentId": "#b"]], "destroy": ["#c"],
                ]
            ),
            (
                "Email/set",
                [
                    "accountId": .string(test.ada.rawValue),
                    "update": [id: ["mailboxIds/#a": true]],
                ]
            ),
            (
                "Email/query",
                ["accountId": .string(test.ada.rawValue), "filter": ["inMailbox": "#a"]]
            ),
        ])
        let made = answers[0]["created"]
        let a = try #require(made["a"]?["id"]?.stringValue)
        #expect(answers[0]["updated"].keys == [a], "\(answers[0].arguments)")
        #expect(answers[0]["destroyed"].strings == [made["c"]?["id"]?.stringValue])
        let read = try await test.call("Mailbox/get", ["ids": [.string(a)]])["list"][0]
        #expect(read?["name"] == "D" && read?["parentId"] == made["b"]?["id"])
        #expect(answers[1]["updated"].keys == [id], "\(answers[1].arguments)")
        #expect(answers[2]["ids"].strings == [id])
    }

    @Test func identitiesAndDrafts() async throws {
        let test = try await TestKernel()
        let answer = try await test.call(
            "Identity/set",
            [
                "create": ["a": ["email": "ada@example.org"], "b": ["email": "ada@example.org"]],
                "update": ["#a": ["name": "Countess"]], "destroy": ["#b"],
            ])
        let a = try #require(answer["created"]["a"]?["id"]?.stringValue, "\(answer.arguments)")
        #expect(answer["created"]["a"]?.keys.contains("textSignature") == true)
        #expect(answer["updated"].keys == [a])
        #expect(answer["destroyed"].strings == [answer["created"]["b"]?["id"]?.stringValue])
        #expect(try await test.call("Identity/get", ["ids": [.string(a)]])["list"][0]?["name"] == "Countess")
        let drafts = try await test.call(
            "Draft/set",
            [
                "create": ["d": ["subject": "x"], "e": ["subject": "z"]], "update": ["#d": ["subject": "y"]],
                "destroy": ["#e"],
            ])
        let d = try #require(drafts["created"]["d"]?["id"]?.stringValue, "\(drafts.arguments)")
        #expect(
            drafts["updated"].keys == [d] && drafts["destroyed"].strings.count == 1, "\(drafts.arguments)")
    }
}
