import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// ACC-50, ACC-53: RFC 8621, section 8, for services that send the reply themselves.
@Suite("The vacation reply of a service") struct ServiceVacationTests {
    private static let away = RemoteVacation(
        isEnabled: true, from: Date(timeIntervalSince1970: 1_796_083_200), subject: "Away",
        text: "I am away.", html: "<p>I am away.</p>")

    private func test(_ reply: RemoteVacation = away) async throws -> (TestKernel, Script) {
        let script = Script()
        script.change {
            $0.moreFeatures = [.vacation]
            $0.vacation = reply
        }
        return (try await TestKernel(wrap: { ScriptedSession($0, script) }), script)
    }

    private func get(_ test: TestKernel) async throws -> CallAnswer {
        try await test.call("VacationResponse/get")
    }

    private func set(_ test: TestKernel, _ patch: JSONValue) async throws -> CallAnswer {
        try await test.call("VacationResponse/set", ["update": ["singleton": patch]])
    }

    @Test func itIsReadThereAndChangedThere() async throws {
        let (test, script) = try await test()
        let found = try await get(test)
        let reply = found["list"][0]
        #expect(reply?["isEnabled"] == true && reply?["fromDate"] == "2026-12-01T00:00:00Z")
        #expect(reply?["subject"] == "Away" && reply?["textBody"] == "I am away.")
        #expect(reply?["htmlBody"] == "<p>I am away.</p>" && reply?["isAtService"] == true)
        let patch: JSONValue = ["textBody": "Back on Monday.", "htmlBody": .null, "isEnabled": true]
        #expect(try await set(test, patch)["notUpdated"] == .null)
        #expect(script.now.vacation.text == "Back on Monday." && script.now.vacation.html == nil)
        #expect(script.now.vacation.subject == "Away")
        let after = try await get(test)
        #expect(after["list"][0]?["textBody"] == "Back on Monday.")
        #expect(after["state"] != found["state"])
        // No rule of this program replies as well.
        #expect(
            try await test.call("RuleList/get")["list"][0]?["text"]?.stringValue?.contains("vacation") != true
        )
        // Changed at the service by another program.
        script.change { $0.vacation.isEnabled = false }
        test.clock.advance(by: 60)
        #expect(try await get(test)["list"][0]?["isEnabled"] == false)
        await test.kernel.stop()
    }

    @Test func whatTheServiceRefusesIsSaidAndNothingChanges() async throws {
        let (test, script) = try await test()
        _ = try await get(test)
        let bad: [JSONValue] = [
            ["isEnabled": "yes"], ["isAtService": false], ["textBody": "", "htmlBody": .null],
            ["toDate": "2026-11-01T00:00:00Z"], ["textBody": .string(String(repeating: "x", count: 20_000))],
        ]
        for patch in bad {
            #expect(try await set(test, patch)["notUpdated"].keys == ["singleton"], "\(patch)")
        }
        #expect(script.now.vacation == Self.away)
        script.change { $0.vacationSetErrors = [.refused("Choose another subject.")] }
        #expect(
            try await set(test, ["subject": "x"])["notUpdated"]["singleton"]?["description"]?.stringValue?
                .contains("Choose another subject.") == true)
        #expect(script.now.vacation == Self.away)
        await test.kernel.stop()
    }

    @Test func whileTheServiceCannotBeAskedTheLastReplyIsShown() async throws {
        let (test, script) = try await test()
        let lost = AccountError.unreachable(host: "mail.example.org", reason: "The connection was lost.")
        script.change { $0.vacationErrors = [lost] }
        #expect(try await get(test).error == "serverUnavailable")
        #expect(try await get(test)["list"][0]?["subject"] == "Away")
        test.clock.advance(by: 60)
        script.change { $0.vacationErrors = [lost] }
        #expect(try await get(test)["list"][0]?["subject"] == "Away")
        await test.kernel.stop()
    }

    /// A reply that this program sends goes on until it is changed, and moves then.
    @Test func aReplyFromBeforeMovesToTheService() async throws {
        let (test, script) = try await test(RemoteVacation())
        let rule = """
            require ["date", "relational", "vacation"];
            # rule:[Vacation reply]
            if allof (true) { vacation :days 7 :subject "Gone" "From here."; }
            """
        let put = try await test.call("RuleList/set", ["update": ["singleton": ["text": .string(rule)]]])
        #expect(put["notUpdated"] == .null)
        let before = try await get(test)["list"][0]
        #expect(before?["isAtService"] == false && before?["textBody"] == "From here.")
        #expect(script.now.vacation == RemoteVacation())
        #expect(try await set(test, ["isEnabled": true, "subject": "Away"])["notUpdated"] == .null)
        #expect(script.now.vacation == RemoteVacation(isEnabled: true, subject: "Away", text: "From here."))
        let after = try await get(test)["list"][0]
        #expect(after?["isAtService"] == true && after?["isEnabled"] == true && after?["subject"] == "Away")
        await test.kernel.stop()
    }

    /// ACC-53: clients are told where changes are reported instead.
    @Test func pushSubscriptionsAreRefusedWithAReason() async throws {
        let (test, _) = try await test()
        let subscription: JSONValue = ["deviceClientId": "x", "url": "https://push.example.org/"]
        let answers = try await test.calls([
            ("PushSubscription/set", ["create": ["p": subscription]]), ("PushSubscription/get", ["ids": nil]),
        ])
        let refused = answers[0]["notCreated"]["p"]
        #expect(refused?["type"] == "forbidden")
        #expect(
            refused?["description"]?.stringValue?.contains("Use the event source or a WebSocket.") == true)
        #expect(answers[1]["list"] == [])
        await test.kernel.stop()
    }
}
