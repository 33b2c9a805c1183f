import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Rules as people see them, over JMAP") struct RuleListTests {
    private static let bills: JSONValue = [
        "kind": "rule", "name": "Bills", "isOn": true, "joining": "all",
        "conditions": [["field": "subject", "value": "invoice", "isNegated": false]],
        "actions": [["verb": "move", "value": "Money"]],
    ]

    private func set(_ test: TestKernel, _ patch: JSONValue, ifInState state: JSONValue = .null) async throws
        -> CallAnswer
    {
        try await test.call("RuleList/set", ["update": ["singleton": patch], "ifInState": state])
    }

    /// ORG-16: text that is no rule stays as it was written.
    @Test func rulesAndTextAreOneScript() async throws {
        let test = try await TestKernel()
        #expect(try await test.call("RuleList/get")["list"][0]?["entries"] == [])
        #expect(try await set(test, ["entries": [Self.bills]])["updated"].keys == ["singleton"])
        var list = try await test.call("RuleList/get")
        #expect(list["list"][0]?["entries"] == [Self.bills])
        let text = list["list"][0]?["text"]?.stringValue ?? ""
        #expect(text.contains("# rule:[Bills]") && text.contains("fileinto \"Money\";"))

        let own = """
            require ["fileinto", "regex"];

            # Mine.
            if header :regex "subject" "a+" {
                keep;
            }

            """
        #expect(try await set(test, ["text": .string(own)])["notUpdated"] == .null)
        list = try await test.call("RuleList/get")
        let kept = list["list"][0]?["entries"]?[0]
        #expect(kept?["kind"] == "text" && kept?["text"]?.stringValue?.contains("# Mine.") == true)
        _ = try await set(test, ["entries": [kept ?? .null, Self.bills]], ifInState: list["state"])
        list = try await test.call("RuleList/get")
        #expect(list["list"][0]?["entries"]?[1] == Self.bills)
        let both = list["list"][0]?["text"]?.stringValue ?? ""
        #expect(both.contains("# Mine.\nif header :regex \"subject\" \"a+\" {\n    keep;\n}\n"))

        let invalid = try await set(test, ["text": "fileinto 3;"])
        #expect(invalid["notUpdated"]["singleton"]?["type"] == "invalidSieve")
        let empty = try await set(test, ["entries": [["kind": "rule", "name": "Nothing"]]])
        #expect(
            empty["notUpdated"]["singleton"]?["description"] == "The rule “Nothing” does nothing yet.")
        #expect(try await test.call("RuleList/get")["list"][0]?["text"]?.stringValue == both)
        let scripts = try await test.call("SieveScript/get")
        #expect(scripts["list"].arrayValue?.count == 1 && scripts["list"][0]?["isActive"] == true)
        await test.kernel.stop()
    }

    /// ORG-79: all messages are in the answer, however many there are.
    @Test func aRehearsalNamesAllMessages() async throws {
        let test = try await TestKernel(messages: 620)
        let all: JSONValue = ["kind": "rule", "name": "All", "actions": [["verb": "notify"]]]
        let found = try await test.call("RuleList/rehearse", ["rule": all])
        #expect(found["matched"] == 620)
        #expect(Set(found["emailIds"].strings).count == 620)
        await test.kernel.stop()
    }

    /// ORG-17: a rule is applied to received mail wherever it is, if the user wants that, but for what was thrown away.
    @Test func aRuleIsAppliedToMailThatIsNotInTheInbox() async throws {
        let test = try await TestKernel()
        let archive = try await test.mailbox(.archive)
        var ids: [String] = []
        for role in [Mailbox.Role.inbox, .archive, .trash, .sent] {
            ids.append(
                try await test.add(
                    "From: Ana <ana@a.org>\r\nSubject: Lunch in \(role)\r\n\r\nHello\r\n", to: role))
        }
        let rule: JSONValue = [
            "kind": "rule", "name": "Lunch", "conditions": [["field": "subject", "value": "lunch"]],
            "actions": [["verb": "star"]],
        ]
        let found = try await test.call("RuleList/rehearse", ["rule": rule])
        #expect(Set(found["emailIds"].strings) == Set(ids[0...2]))
        #expect(found["inboxIds"].strings == [ids[0]])
        #expect(Set(found["keptIds"].strings) == Set(ids[0...1]))

        let all = JSONValue.array(ids.map { .string($0) })
        let applied = try await test.call(
            "RuleList/apply", ["rule": rule, "emailIds": all, "isEverywhere": true])
        #expect(applied["changed"] == 2 && applied["problems"].strings.isEmpty)
        for (id, isStarred) in zip(ids, [true, true, false, false]) {
            #expect(try await test.email(Id(id)).keywords.contains(.flagged) == isStarred)
        }
        #expect(try await test.email(Id(ids[1])).mailboxIDs == [archive])
        let actionID = try #require(applied["actionIds"].strings.first)
        _ = try await test.call("MailAction/set", ["update": [actionID: ["isUndone": true]]])
        #expect(try await !test.email(Id(ids[1])).keywords.contains(.flagged))
        await test.kernel.stop()
    }

    /// ORG-17: a rehearsal changes nothing, finds what the rule would find, and is applied on request.
    @Test func aRuleIsRehearsedAndApplied() async throws {
        let test = try await TestKernel(messages: 30)
        let rule: JSONValue = [
            "kind": "rule", "name": "Lunch", "isOn": false,
            "conditions": [["field": "subject", "value": "lunch"]],
            "actions": [["verb": "star"], ["verb": "move", "value": "Archive"]],
        ]
        let found = try await test.call("RuleList/rehearse", ["rule": rule])
        let ids = found["inboxIds"].strings
        #expect(found["examined"] == 30 && found["matched"].intValue == ids.count && ids.count == 12)
        #expect(found["emailIds"].strings == ids)
        // Also by a test that needs all fields.
        let deep: JSONValue = .string(
            "require \"fileinto\";\nif header :contains [\"x-none\", \"subject\"] \"lunch\" { fileinto \"Archive\"; }"
        )
        #expect(try await test.call("RuleList/rehearse", ["text": deep])["emailIds"].strings == ids)
        let archive = try await test.mailbox(.archive)
        #expect(try await test.email(Id(ids[0])).mailboxIDs.contains(archive) == false)

        let applied = try await test.call(
            "RuleList/apply", ["rule": rule, "emailIds": .array(ids.map { .string($0) })])
        #expect(applied["changed"].intValue == ids.count)
        let actionIDs = applied["actionIds"].strings
        #expect(actionIDs.count == 1)
        #expect(try await test.email(Id(ids[0])).mailboxIDs == [archive])
        let action = try await test.call("MailAction/get", ["ids": [.string(actionIDs[0])]])
        #expect(action["list"][0]?["client"] == "Rule “Lunch”" && action["list"][0]?["mayUndo"] == true)
        _ = try await test.call("MailAction/set", ["update": [actionIDs[0]: ["isUndone": true]]])
        #expect(try await test.email(Id(ids[0])).mailboxIDs.contains(archive) == false)
        await test.kernel.stop()
    }
}
