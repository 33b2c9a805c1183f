import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Rules use saved searches", .timeLimit(.minutes(5))) struct RuleSearchTests {
    private static let ada = "ada@example.org"

    private func rule(_ id: String, isNegated: Bool = false) -> JSONValue {
        [
            "kind": "rule", "name": "Bills", "isOn": true, "joining": "all",
            "conditions": [["field": "search", "value": .string(id), "isNegated": .bool(isNegated)]],
            "actions": [["verb": "star", "value": .null]],
        ]
    }

    private func search(_ test: TestKernel, _ name: String, _ text: String) async throws -> String {
        let made = try await test.program(
            "SavedSearch/set", ["create": ["a": ["name": .string(name), "text": .string(text)]]])
        return try #require(made["created"]["a"]?["id"]?.stringValue, "\(made.arguments)")
    }

    private func use(_ entries: [JSONValue], in test: TestKernel) async throws -> JSONValue? {
        let answer = try await test.call(
            "RuleList/set", ["update": ["singleton": ["entries": .array(entries)]]])
        return answer["notUpdated"]["singleton"]
    }

    private func deliver(_ subject: String, to test: TestKernel) async throws {
        test.server.deliver(
            Data(
                "From: Shop <shop@a.org>\r\nSubject: \(subject)\r\nMessage-ID: <\(subject)@a.org>\r\n\r\nHello\r\n"
                    .utf8), to: Self.ada)
        await test.read()
        try await test.wait(for: "the end of the rules") {
            try await test.storage.documents(in: "arrival", accountID: test.ada, after: nil, limit: 9).isEmpty
        }
        await test.settle()
    }

    private func starred(_ test: TestKernel) async throws -> Set<String> {
        var found: Set<String> = []
        for id in try await test.emailIDs() {
            let email = try await test.email(id)
            if email.keywords.contains(.flagged) { found.insert(email.header.subject ?? "") }
        }
        return found
    }

    /// ORG-75: both views edit one rule, which follows its search.
    @Test func theRuleFollowsTheSearch() async throws {
        let test = try await TestKernel()
        let id = try await search(test, "Bills", "subject:invoice newer_than:2d -from:ana in:inbox")
        #expect(try await use([rule(id)], in: test) == nil)
        let list = try await test.call("RuleList/get")
        #expect(list["list"][0]?["entries"] == [rule(id)])
        let text = list["list"][0]?["text"]?.stringValue ?? ""
        #expect(text.contains("savedsearch \"\(id)\""))
        let again = try await test.call("RuleList/set", ["update": ["singleton": ["text": .string(text)]]])
        #expect(again["notUpdated"] == .null)
        #expect(try await test.call("RuleList/get")["list"][0]?["entries"] == [rule(id)])

        try await deliver("invoice", to: test)
        try await deliver("ticket", to: test)
        #expect(try await starred(test) == ["invoice"])
        let changed = try await test.program(
            "SavedSearch/set", ["update": [id: ["text": "subject:ticket", "name": "Tickets"]]])
        #expect(changed["notUpdated"] == .null)
        try await deliver("ticket2", to: test)
        try await deliver("invoice2", to: test)
        #expect(try await starred(test) == ["invoice", "ticket2"])
        let rehearsed = try await test.call("RuleList/rehearse", ["rule": rule(id)])
        #expect(rehearsed["matched"] == 2, "\(rehearsed.arguments)")
        let others = try await test.call("RuleList/rehearse", ["rule": rule(id, isNegated: true)])
        #expect(others["matched"] == 2)
        await test.kernel.stop()
    }

    /// ORG-76: a search in use stays; one that is gone keeps the mail, and the rule says so.
    @Test func aSearchInUseIsNotDeleted() async throws {
        let test = try await TestKernel()
        let id = try await search(test, "Bills", "subject:invoice")
        #expect(try await use([rule(id)], in: test) == nil)
        let refused = try await test.program("SavedSearch/set", ["destroy": [.string(id)]])
        #expect(
            refused["notDestroyed"][id]?["description"]
                == "The rule “Bills” uses this search. Change the rule before you delete the search.")
        // As a store does that was restored.
        try await test.kernel.store.commit([.destroyDocument(DocumentKey("saved-search", id))])
        try await deliver("invoice", to: test)
        #expect(try await starred(test).isEmpty)
        let problems = try await test.call("RuleProblem/get")
        #expect(problems["list"][0]?["rule"] == "Bills")
        #expect(
            problems["list"][0]?["sentence"]?.stringValue?.contains("a saved search that no longer exists")
                == true)
        let rehearsed = try await test.call("RuleList/rehearse", ["rule": rule(id)])
        #expect(rehearsed.error == "invalidArguments")
        // Other rules can still be changed.
        #expect(try await use([rule(id), rule(id, isNegated: true)], in: test) == nil)
        #expect(try await use([], in: test) == nil)
        let other = try await search(test, "Other", "subject:x")
        let gone = try await test.program("SavedSearch/set", ["destroy": [.string(other)]])
        #expect(gone["notDestroyed"] == .null)
        await test.kernel.stop()
    }

    /// ORG-77: what one arriving message does not show cannot be a rule.
    @Test func whatCannotBeJudgedIsRefused() async throws {
        let test = try await TestKernel()
        let id = try await search(test, "Ads", "category:promotions")
        let sentence =
            "The saved search “Ads” uses the category, which is not known yet when a message arrives."
        #expect(try await use([rule(id)], in: test)?["description"]?.stringValue == sentence)
        #expect(
            try await test.call("RuleList/rehearse", ["rule": rule(id)])["description"].stringValue
                == sentence)
        #expect(try await use([rule("nothing")], in: test)?["type"] == "invalidSieve")
        let fine = try await search(test, "Fine", "subject:invoice")
        #expect(try await use([rule(fine)], in: test) == nil)
        let changed = try await test.program(
            "SavedSearch/set", ["update": [fine: ["text": "category:promotions"]]])
        #expect(
            changed["notUpdated"][fine]?["description"]?.stringValue?.hasPrefix(
                "The rule “Bills” uses this search.")
                == true)
        await test.kernel.stop()
    }
}
