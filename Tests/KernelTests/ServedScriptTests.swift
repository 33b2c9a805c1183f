import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import Store
import Testing

@testable import Rules

/// ORG-21, ORG-22: real and made messages end in the same place, with the same keywords, whether all rules run here, or
/// Debian's Pigeonhole runs the script that it is given and the rest runs here.
@Suite(
    "A service does the same as this computer",
    .enabled(if: SieveTester.isInstalled, SieveTester.missing), .timeLimit(.minutes(5)))
struct ServedScriptTests {
    @Test(arguments: ServedRules.all) func messagesEndInTheSamePlace(_ rules: ServedRules) async throws {
        let tester = try SieveTester()
        defer { tester.remove() }
        let plan = ServicePlan(rules.text, ServedRules.offer)
        #expect(plan.entries.filter { $0.reason != nil }.map(\.title) == rules.stay)
        let script = try #require(plan.text(rules.mark))
        let messages = try ServedMessage.all()
        let here = try await ServedScene(rules).outcomes(messages)

        var served: [ServedOutcome] = []
        for message in messages {
            let outcome = try tester.outcome(of: script, on: message)
            let told: Comment = "Pigeonhole does not take \(script)"
            var known = try #require(outcome, told)
            // Every message that the service has seen says so.
            try #require(known.keywords.remove(rules.mark.keyword) != nil)
            // It shows a reply before Pigeonhole looks whether the message may have one.
            if !message.mayBeAnswered { known.isAnswered = false }
            served.append(known)
        }
        if !rules.stay.isEmpty {
            let scene = try await ServedScene(rules, with: plan, script)
            let waiting = messages.indices.filter { served[$0].mailbox == "Inbox" }
            let after = try await scene.outcomes(
                waiting.map { messages[$0].with(served[$0].keywords.union([rules.mark.keyword])) })
            for (index, var outcome) in zip(waiting, after) {
                try #require(outcome.keywords.remove(rules.mark.keyword) != nil)
                outcome.isAnswered = outcome.isAnswered || served[index].isAnswered
                served[index] = outcome
            }
        }
        for (index, message) in messages.enumerated() {
            #expect(served[index] == here[index], "\(message.name) by\n\(script)")
        }
    }

    /// What the rules above count on.
    @Test func theServiceOffersWhatIsExpected() throws {
        let tester = try SieveTester()
        defer { tester.remove() }
        let names = ServedRules.offer.extensions.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        let message = try #require(try ServedMessage.all().first)
        let outcome = try tester.outcome(of: "require [\(names)];\nkeep;\n", on: message)
        #expect(outcome == ServedOutcome(mailbox: "Inbox"))
    }
}

/// What became of a message.
struct ServedOutcome: Equatable {
    /// The last part of its name here.
    var mailbox: String
    var keywords: Set<Keyword> = []
    var isAnswered = false
}

/// A kernel that gets messages, some of which a service has seen.
private struct ServedScene {
    let scene: RuleScene
    private let rules: ServedRules

    init(_ rules: ServedRules, with plan: ServicePlan? = nil, _ script: String = "") async throws {
        let test = try await TestKernel(layout: .folders)
        (scene, self.rules) = (RuleScene(test: test), rules)
        try await SavedSearches(store: test.kernel.store).put(
            SavedSearch(id: "V1", name: "Lunch", text: "subject:lunch"))
        if let plan {
            var state = ServiceRules()
            state.note(script, rules.mark, plan.served, at: test.clock.now)
            try await test.kernel.store.commit([try state.change(in: test.ada)])
        }
        try await scene.useRules(rules.text)
    }

    func outcomes(_ messages: [ServedMessage]) async throws -> [ServedOutcome] {
        let test = scene.test
        for message in messages {
            test.server.deliver(message.bytes, to: RuleScene.ada, keywords: message.keywords)
        }
        try await test.wait(for: "the messages") { try await test.emailIDs().count >= messages.count }
        try await scene.settle()
        let mailboxes = try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox)
        let names = Dictionary(mailboxes.map { ($0.id, $0.name) }) { first, _ in first }
        let ids = try await test.emailIDs()
        let emails = try await test.storage.emails(ids, in: test.ada).map(\.email)
        var outcomes: [ServedOutcome] = []
        for message in messages {
            let email = try #require(emails.first { $0.header.messageID == [message.messageID] })
            let reply = VacationReply(to: message.sender, handle: ServedRules.handle, in: test.ada)
            let isAnswered = try await reply.isRemembered(at: test.clock.now, test.kernel.store)
            let places = email.mailboxIDs.compactMap { names[$0] }.sorted().joined(separator: " and ")
            outcomes.append(
                ServedOutcome(
                    mailbox: places, keywords: email.keywords, isAnswered: isAnswered))
        }
        await test.kernel.stop()
        return outcomes
    }
}
