import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import TestSupport
import Testing

@Suite("What one request may ask for has an end") struct LimitTests {
    /// -2^63 is the one whole number whose distance from 0 is none: it ended the program.
    @Test(arguments: [-0x1p63, -0x1p53, 0x1p53, 0x1p62])
    func numbersBeyondTheLimitAreRefused(_ number: Double) async throws {
        let test = try await TestKernel(isStarted: false)
        let cases: [(method: String, needed: JSONValue, argument: String)] = [
            ("Email/query", [:], "position"), ("Email/query", [:], "anchorOffset"),
            ("Email/query", [:], "limit"), ("Email/get", ["ids": []], "maxBodyValueBytes"),
            ("Mailbox/query", [:], "position"), ("Thread/changes", ["sinceState": "0"], "maxChanges"),
        ]
        for (method, needed, argument) in cases {
            var arguments = needed.objectValue ?? [:]
            arguments[argument] = .number(number)
            let answer = try await test.call(method, .object(arguments))
            #expect(answer.error == "invalidArguments" && answer["arguments"] == [.string(argument)])
        }
    }

    private func echo(_ number: Int, _ names: [String]) -> (name: String, arguments: JSONValue) {
        let reference: JSONValue = [
            "resultOf": .string("c\(number - 1)"), "name": "Core/echo", "path": "",
        ]
        return ("Core/echo", .object(Dictionary(uniqueKeysWithValues: names.map { ("#" + $0, reference) })))
    }

    /// Each answer is twice the one before: sixty of them would be larger than any memory.
    @Test func answersThatDoubleEachTimeAreRefused() async throws {
        var limits = JMAPLimits()
        limits.maxSizeAnswers = 1_000_000
        let test = try await TestKernel(limits: limits, isStarted: false)
        let calls = [("Core/echo", ["x": "y"] as JSONValue)] + (1..<60).map { echo($0, ["a", "b"]) }
        let answers = try await test.calls(calls, as: TestKernel.reader)
        #expect(answers.count == 60)
        let refused = answers.firstIndex { $0.error != nil } ?? 60
        #expect((10..<30).contains(refused) && answers[refused].error == "requestTooLarge")
        // What refers to it has nothing to refer to.
        #expect(answers[(refused + 1)...].allSatisfy { $0.error != nil })
    }

    @Test func manyReferencesToOneAnswerAreRefused() async throws {
        var limits = JMAPLimits()
        limits.maxSizeAnswers = 100_000
        let test = try await TestKernel(limits: limits, isStarted: false)
        let names = (0..<200).map { "r\($0)" }
        let first: JSONValue = ["list": .array((0..<100).map { ["id": .string("\($0)")] })]
        let answers = try await test.calls([("Core/echo", first), echo(1, names)])
        #expect(answers.map(\.error) == [nil, "requestTooLarge"])
        // The way through a list counts too, though nothing is at its end.
        let nowhere: JSONValue = ["resultOf": "c0", "name": "Core/echo", "path": "/list/*/none"]
        let lost = try await test.calls([("Core/echo", first), ("Core/echo", ["#a": nowhere])])
        #expect(lost.map(\.error) == [nil, "invalidResultReference"])
    }

    @Test func bodiesOfManyCallsAreRefused() async throws {
        var limits = JMAPLimits()
        limits.maxSizeAnswers = 60_000
        let test = try await TestKernel(limits: limits)
        let text = String(repeating: "Long. ", count: 3000)
        let id = JSONValue.string(try await test.add("Subject: x\r\n\r\n\(text)"))
        let get: (String, JSONValue) = (
            "Email/get",
            [
                "accountId": .string(test.ada.rawValue), "ids": [id], "properties": ["bodyValues"],
                "fetchAllBodyValues": true,
            ]
        )
        let flag: (String, JSONValue) = (
            "Email/set",
            [
                "accountId": .string(test.ada.rawValue),
                "update": [id.stringValue ?? "": ["keywords/$flagged": true]],
            ]
        )
        let answers = try await test.calls([get, get, get, get, flag])
        #expect(answers[0].error == nil && answers[1].error == nil)
        #expect(answers[3].error == "requestTooLarge")
        // Nothing was done of what is refused.
        let email = try await test.email(Id(id.stringValue ?? ""))
        #expect(email.keywords.contains(.flagged) == (answers[4].error == nil))
        #expect(try await test.calls([get]).map(\.error) == [nil])
    }

    @Test(arguments: [
        "keywords/" + String(repeating: "a/", count: 50_000), String(repeating: "/", count: 1_000_000),
        "mailboxIds/" + String(repeating: "x", count: 2000), "keywords/a/b/c/d/e/f/g/h",
    ]) func pathsHaveALength(_ path: String) async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0].rawValue
        let began = ContinuousClock.now
        let email = try await test.call("Email/set", ["update": [id: [path: true]]])
        let type = email["notUpdated"][id]?["type"]?.stringValue
        #expect(type == "invalidPatch" || type == "invalidProperties")
        let preferences = try await test.program("Preferences/set", ["update": ["singleton": [path: true]]])
        #expect(preferences["notUpdated"]["singleton"]?["type"] != nil)
        // Before there was a bound it took minutes; this allows for a slow machine.
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    @Test func patchesHaveABound() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0].rawValue
        let patch = Dictionary(
            uniqueKeysWithValues: (0..<1001).map { ("keywords/k\($0)", JSONValue.bool(true)) })
        let answer = try await test.call("Email/set", ["update": [id: .object(patch)]])
        #expect(answer["notUpdated"][id]?["type"] == "invalidPatch")
    }

    /// RFC 8621, section 4.9: what is there is not “not found”.
    @Test func aBlobThatCannotBeReadIsNotMissing() async throws {
        let test = try await TestKernel(messages: 1)
        let missing = try await test.call("Email/parse", ["blobIds": ["none"]])
        #expect(missing["notFound"] == ["none"])
        let text = JSONValue.string(try await test.upload("\r\nno mail"))
        #expect(try await test.call("Email/parse", ["blobIds": [text]])["notParsable"] == [text])
    }
}
