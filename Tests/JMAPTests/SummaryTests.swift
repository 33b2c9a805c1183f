import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Intelligence

@Suite("Summaries of threads") struct SummaryTests {
    private static let texts = [
        (
            "Bea <bea@example.com>",
            "We planned to launch the shop on 25 November. The gift cards are not done yet."
        ),
        (
            "Luis <luis@example.com>",
            "The bank needs two more weeks for the gift cards. I cannot speed that up."
        ),
        (
            "Bea <bea@example.com>",
            "Then we launch without gift cards on 2 December. The client agrees to this."
        ),
        ("Sam <sam@example.com>", "Fine with me. Please get the keys from the bank by Friday 22 November."),
    ]

    /// Four messages of a thread; the ids of the emails.
    private func conversation(_ smart: SmartKernel) async throws -> [String] {
        var ids: [String] = []
        let run = UUID().uuidString
        for (index, (from, text)) in Self.texts.enumerated() {
            ids.append(
                try await smart.test.add(
                    SmartKernel.message(
                        from: from, subject: index == 0 ? "Launch" : "Re: Launch", text,
                        id: "\(run)-\(index)",
                        answers: index == 0 ? nil : "\(run)-0"),
                    receivedAt: "2023-11-1\(index)T10:00:00Z"))
        }
        return ids
    }

    @Test func aSmallModelOnlyQuotes() async throws {
        let smart = try await SmartKernel()
        let ids = try await conversation(smart)
        let summary = try await smart.summary(try await smart.thread(of: ids[0]))
        let text = try #require(summary["text"]?.stringValue)
        #expect(summary["writtenByAI"] == false && text.count <= 520)
        var rest = text
        for speaker in ["Bea: ", "Luis: ", "Sam: "] {
            rest = rest.replacingOccurrences(of: speaker, with: "")
        }
        let quoted = Sentences.of(rest)
        #expect((2...4).contains(quoted.count))
        for sentence in quoted {
            #expect(Self.texts.contains { $0.1.contains(sentence) }, "\(sentence)")
        }
    }

    @Test func itIsKeptUntilAMessageComes() async throws {
        let smart = try await SmartKernel(writes: true)
        smart.models.script.withLock { $0.says = "They launch on 2 December without gift cards." }
        let ids = try await conversation(smart)
        let thread = try await smart.thread(of: ids[0])
        for id in ids { _ = try await smart.sorted(id) }
        let first = try await smart.summary(thread)
        #expect(
            first["text"] == "They launch on 2 December without gift cards." && first["writtenByAI"] == true)
        #expect(try await smart.summary(thread) == first)
        #expect(smart.models.now.requests.count == 1)
        smart.models.script.withLock { $0.says = "They wait for the keys." }
        let run = try await smart.test.call(
            "Email/get", ["ids": [.string(ids[0])], "properties": ["messageId"]])
        let root = try #require(run["list"][0]?["messageId"]?[0]?.stringValue)
        _ = try await smart.test.add(
            SmartKernel.message(
                subject: "Re: Launch", "The keys are still at the bank. I call them again tomorrow.",
                answers: String(root.prefix { $0 != "@" })),
            receivedAt: "2023-11-14T10:00:00Z")
        #expect(try await smart.summary(thread)["text"] == "They wait for the keys.")
        // The categories that were found meanwhile are still there.
        #expect(try await smart.category(ids[3]) == "primary")
    }

    /// As many as before are not the same ones.
    @Test func itDoesNotOutliveAMessageThatItQuotes() async throws {
        let smart = try await SmartKernel(writes: true)
        let ids = try await conversation(smart)
        let thread = try await smart.thread(of: ids[0])
        smart.models.script.withLock { $0.says = "They launch on 2 December without gift cards." }
        #expect(try await smart.summary(thread)["text"] != .null)
        let root = try await smart.test.call(
            "Email/get", ["ids": [.string(ids[0])], "properties": ["messageId"]])
        let name = try #require(root["list"][0]?["messageId"]?[0]?.stringValue)
        try await smart.test.call("Email/set", ["destroy": [.string(ids[1])]])
        _ = try await smart.test.add(
            SmartKernel.message(
                subject: "Re: Launch", "Has anybody asked the client yet? I would like to know.",
                answers: String(name.prefix { $0 != "@" })), receivedAt: "2023-11-11T11:00:00Z")
        smart.models.script.withLock { $0.says = "They ask the client again." }
        #expect(try await smart.summary(thread)["text"] == "They ask the client again.")
    }

    /// Anyone who knows a Message-ID can send something that joins the conversation.
    @Test(arguments: [Mailbox.Role.junk, .trash]) func junkAndWhatWasThrownAwayHaveNoSay(
        _ role: Mailbox.Role
    ) async throws {
        let smart = try await SmartKernel(writes: true)
        let ids = try await conversation(smart)
        let root = try await smart.test.call(
            "Email/get", ["ids": [.string(ids[0])], "properties": ["messageId"]])
        let name = try #require(root["list"][0]?["messageId"]?[0]?.stringValue)
        let bad = try await smart.test.add(
            SmartKernel.message(
                from: "Bea <bea@evil.example>", subject: "Re: Launch",
                "The account of the bank has changed. Pay the deposit to the new one today.",
                answers: String(name.prefix { $0 != "@" })), to: role,
            receivedAt: "2023-11-14T10:00:00Z")
        let thread = try await smart.thread(of: ids[0])
        #expect(try await smart.thread(of: bad) == thread)
        smart.models.script.withLock { $0.says = "They launch on 2 December without gift cards." }
        #expect(try await smart.summary(thread)["text"] != .null)
        let request = try #require(smart.models.now.requests.last)
        #expect(request.data.contains("gift cards") && !request.data.contains("deposit"))
    }

    @Test func aFailingWriterLeavesQuotes() async throws {
        let smart = try await SmartKernel(writes: true)
        smart.models.script.withLock { $0.generateError = .failed(reason: "It crashed.") }
        let ids = try await conversation(smart)
        let summary = try await smart.summary(try await smart.thread(of: ids[0]))
        #expect(summary["text"] != .null && summary["writtenByAI"] == false)
    }

    @Test func whatIsShortNeedsNone() async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(SmartKernel.message(subject: "Hi", "See you tomorrow."))
        let summary = try await smart.summary(try await smart.thread(of: id), onRequest: true)
        #expect(summary["text"] == .null && summary["isOnRequest"] == false)
    }

    private static let letter = """
        We planned to launch the shop on 25 November. The gift cards are not done yet, and the bank needs two \
        more weeks for them. Then we launch without gift cards on 2 December. The client agrees to this. \
        Please get the keys from the bank by Friday 22 November.
        """

    /// One or two messages are read quickly. What was made for them is shown as anything that is kept.
    @Test func shortThreadsAreSummedUpOnRequestOnly() async throws {
        let smart = try await SmartKernel(writes: true)
        smart.models.script.withLock { $0.says = "They launch on 2 December without gift cards." }
        let id = try await smart.test.add(
            SmartKernel.message(subject: "Launch", Self.letter, id: "short"))
        let answer = try await smart.test.add(
            SmartKernel.message(subject: "Re: Launch", "Fine with me.", answers: "short"))
        let thread = try await smart.thread(of: id)
        #expect(try await smart.thread(of: answer) == thread)
        for id in [id, answer] { _ = try await smart.sorted(id) }
        let unasked = try await smart.summary(thread)
        #expect(unasked["text"] == .null && unasked["isOnRequest"] == true)
        #expect(smart.models.now.requests.isEmpty)
        let asked = try await smart.summary(thread, onRequest: true)
        #expect(asked["text"] == "They launch on 2 December without gift cards.")
        #expect(asked["isOnRequest"] == false)
        #expect(try await smart.summary(thread) == asked)
        #expect(smart.models.now.requests.count == 1)
    }

    @Test func threeMessagesAreSummedUpUnasked() async throws {
        let smart = try await SmartKernel()
        let ids = try await conversation(smart)
        try await smart.test.call("Email/set", ["destroy": [.string(ids[3])]])
        let summary = try await smart.summary(try await smart.thread(of: ids[0]))
        #expect(summary["text"] != .null && summary["isOnRequest"] == false)
    }

    /// Asks as a page does that may go away.
    private static func ask(_ thread: String, _ smart: SmartKernel) -> Task<Summaries.Finding, any Error> {
        let (summaries, account) = (smart.test.kernel.intelligence.summaries, smart.test.ada)
        return Task { try await summaries.summary(of: Id(thread), in: account) }
    }

    /// Walking through conversations leaves no work behind, and the next who asks gets it done.
    @Test(.timeLimit(.minutes(5))) func movingOnEndsTheWork() async throws {
        let smart = try await SmartKernel(writes: true)
        let thread = try await smart.thread(of: try await conversation(smart)[0])
        smart.models.script.withLock { $0.hangs = true }
        let leaving = Self.ask(thread, smart)
        try await smart.test.wait(for: "the model to begin") { smart.models.now.requests.count == 1 }
        leaving.cancel()
        try await smart.test.wait(for: "the end of the work") { smart.models.now.cancelled > 0 }
        #expect(try await leaving.value == .nothing)
        smart.models.script.withLock { script in
            script.hangs = false
            script.says = "They launch on 2 December without gift cards."
        }
        #expect(try await smart.summary(thread)["writtenByAI"] == true)
    }

    /// How often a model was given a sentence to choose from.
    private static func readings(of sentence: String, _ smart: SmartKernel) -> Int {
        smart.models.now.embedded.filter { $0.contains(sentence) }.count
    }

    private static let sentence = "The client agrees to this."

    @Test(.timeLimit(.minutes(5))) func whoStaysGetsItThoughAnotherLeaves() async throws {
        let smart = try await SmartKernel()
        let ids = try await conversation(smart)
        for id in ids { _ = try await smart.sorted(id) }
        let thread = try await smart.thread(of: ids[0])
        smart.models.script.withLock { $0.isHeld = true }
        let leaving = Self.ask(thread, smart)
        try await smart.test.wait(for: "the model to begin") { Self.readings(of: Self.sentence, smart) == 1 }
        let staying = Self.ask(thread, smart)
        leaving.cancel()
        smart.models.script.withLock { $0.isHeld = false }
        guard case .summary = try await staying.value else {
            Issue.record("Nothing was found.")
            return
        }
    }

    /// A request after it has come does not get what was made of the messages before.
    @Test(.timeLimit(.minutes(5))) func aMessageThatComesMeanwhileIsInTheNextSummary() async throws {
        let smart = try await SmartKernel()
        let ids = try await conversation(smart)
        for id in ids { _ = try await smart.sorted(id) }
        let thread = try await smart.thread(of: ids[0])
        smart.models.script.withLock { $0.isHeld = true }
        let early = Self.ask(thread, smart)
        try await smart.test.wait(for: "the model to begin") { Self.readings(of: Self.sentence, smart) == 1 }
        let root = try await smart.test.call(
            "Email/get", ["ids": [.string(ids[0])], "properties": ["messageId"]])
        let name = try #require(root["list"][0]?["messageId"]?[0]?.stringValue)
        _ = try await smart.test.add(
            SmartKernel.message(
                subject: "Re: Launch", "The keys are still at the bank. I call them again tomorrow.",
                answers: String(name.prefix { $0 != "@" })), receivedAt: "2023-11-14T10:00:00Z")
        let late = Self.ask(thread, smart)
        try await smart.test.wait(for: "the second work") {
            Self.readings(of: "I call them again tomorrow.", smart) == 1
        }
        smart.models.script.withLock { $0.isHeld = false }
        #expect(try await early.value == .nothing)
        guard case .summary = try await late.value else {
            Issue.record("Nothing was found.")
            return
        }
    }

    /// A model that failed once is not asked again at every look, but it is asked again.
    @Test func aQuoteStandsInForAWhileOnly() async throws {
        let clock = ManualClock()
        let smart = try await SmartKernel(writes: true, clock: clock)
        smart.models.script.withLock { $0.generateError = .failed(reason: "It crashed.") }
        let ids = try await conversation(smart)
        for id in ids { _ = try await smart.sorted(id) }
        let thread = try await smart.thread(of: ids[0])
        let quoted = try await smart.summary(thread)
        #expect(quoted["text"] != .null && quoted["writtenByAI"] == false)
        smart.models.script.withLock { script in
            script.generateError = nil
            script.says = "They launch on 2 December without gift cards."
        }
        #expect(try await smart.summary(thread) == quoted)
        #expect(smart.models.now.requests.count == 1)
        clock.advance(by: 601)
        #expect(try await smart.summary(thread)["writtenByAI"] == true)
        #expect(try await smart.summary(thread)["writtenByAI"] == true)
        #expect(smart.models.now.requests.count == 2)
    }
}
