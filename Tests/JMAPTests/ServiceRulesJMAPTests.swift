import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Rules at the service and the vacation reply, over JMAP") struct ServiceRulesJMAPTests {
    /// ORG-29: one rule of the script, before all others.
    @Test func theVacationReplyIsTheFirstRule() async throws {
        let test = try await TestKernel()
        func set(_ patch: JSONValue) async throws -> CallAnswer {
            try await test.call("VacationResponse/set", ["update": ["singleton": patch]])
        }
        #expect(try await test.call("VacationResponse/get")["list"][0]?["isEnabled"] == false)
        #expect(try await set(["isEnabled": true])["notUpdated"].keys == ["singleton"])
        let text = "I am away.\nUntil \"Monday\"."
        let patch: JSONValue = [
            "isEnabled": true, "textBody": .string(text), "subject": "Away",
            "fromDate": "2026-12-01T00:00:00Z", "toDate": "2026-12-24T22:59:59Z",
        ]
        #expect(try await set(patch)["notUpdated"] == .null)
        let found = try await test.call("VacationResponse/get")["list"][0]
        for (key, value) in patch.objectValue ?? [:] { #expect(found?[key] == value, "\(key)") }

        // Rules beside it, and it stays the first.
        let list = try await test.call("RuleList/get")
        let rule: JSONValue = [
            "kind": "rule", "name": "Star", "isOn": true, "joining": "all",
            "conditions": [["field": "subject", "value": "x", "isNegated": false]],
            "actions": [["verb": "star"]],
        ]
        let entries = [rule] + (list["list"][0]?["entries"]?.arrayValue ?? [])
        _ = try await test.call(
            "RuleList/set", ["update": ["singleton": ["entries": .array(entries)]]])
        #expect(try await set(["toDate": .null])["notUpdated"] == .null)
        let script = try await test.call("RuleList/get")["list"][0]?["text"]?.stringValue ?? ""
        let (reply, star) = (script.range(of: "Vacation reply"), script.range(of: "rule:[Star]"))
        #expect((reply?.lowerBound ?? script.endIndex) < (star?.lowerBound ?? script.startIndex))
        #expect(try await test.call("VacationResponse/get")["list"][0]?["toDate"] == .null)
        #expect(try await set(["isEnabled": false])["notUpdated"] == .null)
        let off = try await test.call("VacationResponse/get")["list"][0]
        #expect(off?["isEnabled"] == false && off?["textBody"]?.stringValue == text)
        let bad = try await set(["fromDate": "2027-01-01T00:00:00Z", "toDate": "2026-01-01T00:00:00Z"])
        #expect(bad["notUpdated"].keys == ["singleton"])
        await test.kernel.stop()
    }

    /// ORG-29: a rule of the user's own is not taken for the reply, whatever its name is.
    @Test(arguments: [
        "if allof (true, header :contains \"subject\" \"x\") { vacation :days 7 \"Gone.\"; }",
        "if allof (true) { vacation :days 7 :from \"b@example.org\" \"Gone.\"; }",
        "if allof (true) { vacation :days 7 \"Gone.\"; stop; }",
        "if allof (true) { vacation :days 7 \"Gone.\"; } else { stop; }",
    ])
    func aRuleOfThisNameIsLeftAlone(_ rule: String) async throws {
        let test = try await TestKernel()
        let text = "require \"vacation\";\n# rule:[Vacation reply]\n\(rule)"
        let put = try await test.call("RuleList/set", ["update": ["singleton": ["text": .string(text)]]])
        #expect(put["notUpdated"] == .null)
        let before = try await test.call("RuleList/get")["list"][0]?["text"]
        #expect(try await test.call("VacationResponse/get")["list"][0]?["isEnabled"] == false)
        let patch: JSONValue = ["isEnabled": true, "textBody": "I am away."]
        let answer = try await test.call("VacationResponse/set", ["update": ["singleton": patch]])
        #expect(
            answer["notUpdated"]["singleton"]?["description"]?.stringValue
                == "Another rule is named “Vacation reply”. Give it another name first.")
        #expect(try await test.call("RuleList/get")["list"][0]?["text"] == before)
        await test.kernel.stop()
    }

    /// ORG-20 and ORG-24: what is there is shown; each question is answered as it was asked.
    @Test func theServiceIsAskedAndAnswered() async throws {
        let script = Script()
        let remote = MemoryScripts()
        remote.change {
            $0.texts = ["own": "keep;"]
            $0.active = "own"
        }
        script.change { $0.scripts = remote }
        let test = try await TestKernel(layout: .folders, wrap: { ScriptedSession($0, script) })
        _ = try await test.call(
            "RuleList/set",
            ["update": ["singleton": ["text": "require \"imap4flags\";\nif true { addflag \"\\\\Seen\"; }"]]])
        @Sendable func get() async throws -> JSONValue? { try await test.call("ServiceRules/get")["list"][0] }
        _ = try await test.call("ServiceRules/check")
        try await test.wait(for: "the look") { try await get()?["checkedAt"] != .null }
        #expect(try await get()?["scripts"] == [["name": "own", "isActive": true, "isOurs": false]])
        let text = try await test.call("ServiceRules/script", ["name": "own"])
        #expect(text["text"] == "keep;")
        _ = try await test.call("ServiceRules/set", ["update": ["singleton": ["isWanted": true]]])
        try await test.wait(for: "the question") { try await get()?["question"] != .null }
        let question = try await get()?["question"] ?? .null
        #expect(question == ["kind": "displace", "subject": "own"])
        let wrong = try await test.call(
            "ServiceRules/set",
            ["update": ["singleton": ["agreesTo": ["kind": "displace", "subject": "other"]]]])
        #expect(wrong["notUpdated"].keys == ["singleton"])
        _ = try await test.call("ServiceRules/set", ["update": ["singleton": ["agreesTo": question]]])
        try await test.wait(for: "the rules there") { try await get()?["isActive"] == true }
        #expect(remote.now.active == "mailkernel" && remote.now.texts["own"] == "keep;")
        await test.kernel.stop()
    }
}
