import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Store

/// What cannot be read for a moment is said to fail. It never looks as if there were nothing.
@Suite("A store that fails is not an empty one", .timeLimit(.minutes(5))) struct FailingReadTests {
    /// The call that fails, and how often it is made before it does.
    private final class Failure: Sendable {
        private let call = Mutex<(name: String, left: Int)?>(nil)

        func set(_ name: String?, after count: Int = 0) {
            call.withLock { $0 = name.map { ($0, count) } }
        }

        func check(_ name: String) throws(StorageError) {
            let isNow = call.withLock { call in
                guard call?.name == name else { return false }
                call?.left -= 1
                return call.map { $0.left < 0 } ?? false
            }
            if isNow { throw .unreadable(reason: "A test has it so.") }
        }

        /// Whether the call was made so often that it failed.
        var hasHappened: Bool { call.withLock { $0.map { $0.left < 0 } ?? false } }

        func storage(_ inner: any StorageBackend) -> any StorageBackend {
            InterceptedStorage(inner) { (name) async throws(StorageError) in try self.check(name) }
        }
    }

    private static let text =
        "Can we meet on Tuesday at ten to talk about the offer? Please tell me whether that suits you."

    @Test(arguments: ["emails", "body"])
    func repliesAreNotSaidToBeNone(_ call: String) async throws {
        let failure = Failure()
        let smart = try await SmartKernel(wrapStorage: failure.storage)
        let id = try await smart.test.add(SmartKernel.message(subject: "Call", Self.text))
        _ = try await smart.sorted(id)
        failure.set(call)
        let answer = try await smart.test.call("Suggestion/get", ["emailId": .string(id)])
        failure.set(nil)
        #expect(answer.error == "serverFail", "\(answer)")
        let again = try await smart.test.call("Suggestion/get", ["emailId": .string(id)])
        #expect(again["replies"].arrayValue?.isEmpty == false, "\(again)")
    }

    @Test(arguments: ["mailboxes", "emails", "body", "insights"])
    func aSummaryIsNotSaidToBeNone(_ call: String) async throws {
        let failure = Failure()
        let smart = try await SmartKernel(wrapStorage: failure.storage)
        var ids: [String] = []
        for number in 1...3 {
            let id = try await smart.test.add(
                SmartKernel.message(
                    subject: number == 1 ? "Launch" : "Re: Launch",
                    "We launch on day \(number) of December. The client agrees to this. \(Self.text)",
                    id: "m\(number)", answers: number == 1 ? nil : "m1"))
            ids.append(id)
        }
        for id in ids { _ = try await smart.sorted(id) }
        let thread = try await smart.thread(of: ids[0])
        failure.set(call)
        let answer = try await smart.test.call("ThreadSummary/get", ["ids": [.string(thread)]])
        failure.set(nil)
        #expect(answer.error == "serverFail", "\(answer)")
        #expect(try await smart.summary(thread)["text"] != .null)
    }

    /// ORG-17: what was done until then is in the answer, so that it can be undone.
    @Test func aRuleThatFailsHalfwayNamesWhatItDid() async throws {
        let failure = Failure()
        let test = try await TestKernel(messages: 400, wrapStorage: failure.storage)
        await test.settle()
        let rule: JSONValue = ["kind": "rule", "name": "All", "actions": [["verb": "star"]]]
        let ids = try await test.call("RuleList/rehearse", ["rule": rule])["inboxIds"]
        #expect(ids.strings.count > 120, "\(ids.strings.count)")
        failure.set("body", after: 110)
        let answer = try await test.call("RuleList/apply", ["rule": rule, "emailIds": ids])
        failure.set(nil)
        let actions = answer["actionIds"].strings
        #expect(answer["failure"].stringValue?.isEmpty == false && !actions.isEmpty, "\(answer)")
        let starred = try await test.call("Email/query", ["filter": ["hasKeyword": "$flagged"]])["ids"]
            .strings
        #expect(answer["changed"].intValue ?? 0 > 0 && starred.count >= answer["changed"].intValue ?? 0)
        failure.set("body")
        let none = try await test.call("RuleList/apply", ["rule": rule, "emailIds": ids])
        failure.set(nil)
        #expect(none.error == "serverFail", "\(none)")
        await test.kernel.stop()
    }

    /// Who is told only some of the states takes the others for those that it knows.
    @Test(arguments: ["accounts", "state"])
    func whoComesBackIsToldAllStatesOrNone(_ call: String) async throws {
        let failure = Failure()
        let test = try await TestKernel(messages: 1, wrapStorage: failure.storage)
        await test.settle()
        failure.set(call)
        var events = test.jmap.events(EventSubscription(lastEventID: "1"), for: TestKernel.page)
            .makeAsyncIterator()
        #expect(await events.next() == nil)
        failure.set(nil)
        var again = test.jmap.events(EventSubscription(lastEventID: "1"), for: TestKernel.page)
            .makeAsyncIterator()
        #expect(await again.next() != nil)
        await test.kernel.stop()
    }

    /// Another primary account would be where the page goes, and what new messages are sent from.
    @Test func theSessionNamesTheChosenAccountOrFails() async throws {
        let failure = Failure()
        let test = try await TestKernel(wrapStorage: failure.storage)
        await test.settle()
        let first = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
        let mail = try JSONDecoder().decode(JSONValue.self, from: first)["primaryAccounts"]?[
            "urn:ietf:params:jmap:mail"]
        let chosen = mail == .string(test.ada.rawValue) ? test.grace : test.ada
        try await test.kernel.preferences.set([
            Preference.defaultSendingAccount.key: .string(chosen.rawValue)
        ])
        let whole = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
        var failed = 0
        for count in 0..<40 {
            failure.set("document", after: count)
            do {
                let session = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
                #expect(session == whole, "call \(count)")
            } catch {
                #expect(error.status == 503, "\(error)")
                failed += 1
            }
            let isOver = !failure.hasHappened
            failure.set(nil)
            if isOver { break }
        }
        #expect(failed > 2)
        await test.kernel.stop()
    }
}
