import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Mail

/// FR-COMP-02, FR-SYNC-07: random steps against what must be true of every message, whatever happens: none is
/// lost, none sent twice, none sent that was called back or was in its undo time, none stuck.
@Suite("FR-COMP-02: whatever happens, a message is sent once or still there") struct ComposeModelTests {
    /// In all. Messages add up in the course of a story, and with them the work of looking at all of them.
    private static let steps =
        ProcessInfo.processInfo.environment["COMPOSE_STEPS"].flatMap { Int($0) } ?? 2_500
    private static let story = 125
    private static let stories = 5

    /// A seed of its own for each, so that all of a failure's story can be begun again.
    @Test(.timeLimit(.minutes(600)), arguments: MemoryMailServer.Layout.allCases, Array(0..<UInt64(stories)))
    func randomSteps(_ layout: MemoryMailServer.Layout, _ part: UInt64) async throws {
        let seed =
            ProcessInfo.processInfo.environment["COMPOSE_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0...UInt64.max)
        let parts = Self.stories * MemoryMailServer.Layout.allCases.count
        for round in 0..<UInt64(max(1, Self.steps / parts / Self.story)) {
            let model = try await ComposeModel(layout, seed: seed &+ (part << 32) &+ round)
            try await model.run(Self.story)
        }
    }
}

private actor ComposeModel {
    private struct Message {
        var version = 1
        var submission: Id<EmailSubmission>?
        /// What was delivered when it was called back: it stays so until it is sent again.
        var isDraft = true
    }

    private let scene: ComposeScene
    private var random: Dice
    private let seed: UInt64
    private var messages: [Id<Draft>: Message] = [:]
    private var story: [String] = []
    /// Messages that were sent without this program's knowing, and of which there is no copy.
    private var forgotten = 0
    private var turns = 0

    init(_ layout: MemoryMailServer.Layout, seed: UInt64) async throws {
        scene = try await ComposeScene(layout: layout)
        self.seed = seed
        random = Dice(state: seed | 1)
    }

    func run(_ count: Int) async throws {
        for _ in 0..<count {
            try await step()
            try await check()
        }
        try await end()
    }

    private func note(_ what: String) { story.append(what) }
    private var told: Comment { "seed \(seed): \(story.suffix(40).joined(separator: ", "))" }

    private func one(where isSo: (Message) -> Bool) -> Id<Draft>? {
        messages.filter { isSo($0.value) }.keys.sorted().randomElement(using: &random)
    }

    private func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<18: try await compose()
        case 18..<32: try await edit()
        case 32..<50: try await send()
        case 50..<58: try await undo()
        case 58..<76:
            let pauses: [Double] = [1, 3, 5, 30, 120, 480]
            let seconds: Double = pauses.randomElement(using: &random) ?? 1
            note("+\(seconds)")
            scene.clock.advance(by: seconds)
        case 76..<80:
            let isOff = Bool.random(using: &random)
            note(isOff ? "offline" : "online")
            scene.test.server.setOutage(isOff ? .offline : nil)
        case 80..<84: trouble()
        case 84..<87: try await retry()
        case 87: try await destroy()
        case 88..<92:
            note("kill")
            try await scene.kill()
            for (id, message) in messages where message.submission != nil {
                guard let saved = try await scene.saved(id), saved.submissionID == nil else { continue }
                messages[id]?.submission = nil
                messages[id]?.isDraft = true
            }
        default:
            note("settle")
            await scene.settle()
        }
    }

    private func subject(_ id: Id<Draft>, _ version: Int) -> String { "\(id) v\(version)" }

    private func compose() async throws {
        let content = try await scene.content("new")
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        messages[draft.id] = Message()
        note("compose \(draft.id.rawValue.suffix(3))")
        try await write(draft.id, 1)
    }

    private func write(_ id: Id<Draft>, _ version: Int) async throws {
        let text = subject(id, version)
        _ = try await scene.kernel.drafts.update(id, in: scene.ada) {
            var content = $0
            content.subject = text
            return content
        }
    }

    private func edit() async throws {
        guard let id = one(where: \.isDraft), let version = messages[id]?.version else { return }
        note("edit \(id.rawValue.suffix(3))")
        try await write(id, version + 1)
        messages[id]?.version += 1
    }

    private func send() async throws {
        guard let id = one(where: \.isDraft) else { return }
        note("send \(id.rawValue.suffix(3))")
        let submission = try await scene.kernel.sending.send(id, in: scene.ada, isFromPage: false)
        messages[id]?.submission = submission.id
        messages[id]?.isDraft = false
    }

    private func undo() async throws {
        guard let id = one(where: { !$0.isDraft }), let submission = messages[id]?.submission else { return }
        guard try await !isDoubtful(submission),
            try await scene.kernel.outbox.cancel(submission, in: scene.ada) != nil
        else { return }
        note("undo \(id.rawValue.suffix(3))")
        messages[id]?.submission = nil
        messages[id]?.isDraft = true
    }

    private func destroy() async throws {
        guard let id = one(where: \.isDraft) else { return }
        note("destroy \(id.rawValue.suffix(3))")
        _ = try await scene.kernel.drafts.destroy(id, in: scene.ada)
        messages[id] = nil
    }

    private func trouble() {
        let busy = SubmissionOutcome.rejected(SubmissionReply(code: 451, text: "Later"), refused: [:])
        let no = SubmissionOutcome.rejected(SubmissionReply(code: 550, text: "No"), refused: [:])
        let kind = Int.random(in: 0..<6, using: &random)
        note("trouble \(kind)")
        scene.script.change { script in
            switch kind {
            case 0: script.losesAnswer = true
            case 1: script.submitOutcomes.append(busy)
            case 2: script.submitOutcomes.append(no)
            case 3: script.submitErrors.append(.unreachable(host: "h", reason: "r"))
            case 4: script.losesAppendAnswer = true
            default: script.appendErrors.append(.unreachable(host: "h", reason: "r"))
            }
        }
    }

    private func retry() async throws {
        guard let id = one(where: { !$0.isDraft }), let submission = messages[id]?.submission,
            try await !isDoubtful(submission)
        else { return }
        note("retry \(id.rawValue.suffix(3))")
        _ = try await scene.kernel.outbox.retry(submission, in: scene.ada)
    }

    /// It may be out, and there is no place to look: sending it again, or canceling it, risks a second
    /// copy, and was told so. The program never does it by itself.
    private func isDoubtful(_ id: Id<EmailSubmission>) async throws -> Bool {
        let found = try await scene.test.storage.submissions([id], in: scene.ada).first
        return found.map { $0.sendState == .failed && $0.mayHaveBeenSent } ?? false
    }

    private func check() async throws {
        var count: [String: Int] = [:]
        let there = scene.delivered
        for subject in there { count[String(subject.prefix { $0 != " " }), default: 0] += 1 }
        for (id, message) in messages {
            let delivered = count[id.rawValue] ?? 0
            if delivered > 1 { try await explain(id, message) }
            try #require(delivered <= 1, told)
            if message.isDraft {
                try #require(delivered == 0, told)
                try #require(try await scene.saved(id)?.content.subject == subject(id, message.version), told)
            } else if delivered == 1 {
                try #require(there.contains(subject(id, message.version)), told)
            } else {
                let kept = try await scene.saved(id)?.content.subject
                // Between the two looks it may have gone out.
                try #require(
                    kept == subject(id, message.version)
                        || scene.delivered.contains(subject(id, message.version)), told)
            }
        }
    }

    /// Writes down what became of a message that is not as it should be.
    private func explain(_ id: Id<Draft>, _ message: Message) async throws {
        note("what is wrong: \(id) \(message)")
        for submission in try await scene.test.storage.submissions(nil, in: scene.ada)
        where submission.id == message.submission {
            note("\(submission)")
        }
        let handedOver = scene.script.now.submitted.map { String(decoding: $0.message, as: UTF8.self) }
            .filter { $0.contains(id.rawValue) }
        for text in handedOver {
            note(text.split(separator: "\r\n").filter { $0.hasPrefix("Message-ID") }.joined())
        }
    }

    /// Writes down what is kept of drafts whose copies are not as they should be.
    private func explainCopies() async throws {
        let atService = Set(scene.atService(true).map(\.subject))
        for (id, message) in messages where message.isDraft {
            guard !atService.contains(subject(id, message.version)), let draft = try await scene.saved(id)
            else {
                continue
            }
            let copy = try await scene.kernel.drafts.copies.load(id.rawValue, scene.ada)
            note("draft \(draft), copy \(String(describing: copy))")
            guard let emailID = draft.emailID else { continue }
            let refs = try await scene.test.storage.remoteRefs(of: [emailID], in: scene.ada)
            let email = try await scene.test.storage.emails([emailID], in: scene.ada).first?.email
            note("refs \(refs), email \(String(describing: email))")
        }
        let store = scene.test.storage
        for collection in [UnnamedEmail.collection, PendingChanges.collection] {
            let found = try await store.documents(
                in: collection, accountID: scene.ada, after: nil, limit: 100)
            note("\(collection): \(found.map { "\($0.key.name) \($0.value)" })")
        }
        for message in scene.test.server.messages(of: "ada@example.org") where !message.subject.hasPrefix("D")
        {
            note("\(message.address) \(message.messageID ?? "-")")
        }
    }

    /// In the end all that was to be sent is sent, and the rest is once in Drafts, on both sides.
    private func end() async throws {
        scene.script.change {
            ($0.submitOutcomes, $0.submitErrors, $0.appendErrors) = ([], [], [])
            ($0.losesAnswer, $0.losesAppendAnswer) = (false, false)
        }
        scene.test.server.setOutage(nil)
        // Fails below, with all that can be told of it.
        try? await scene.test.wait(for: "rest") { try await self.hasComeToRest() }
        // What was sent last comes into Sent after the accounts were looked at.
        await scene.settle()
        let living = messages.filter(\.value.isDraft)
        let expected = living.map { subject($0.key, $0.value.version) }.sorted()
        note("delivered \(scene.delivered.count) of \(messages.count - living.count)")
        note("drafts \(try await scene.kernel.drafts.all(in: scene.ada).count) of \(living.count)")
        note("at the service \(scene.atService(true).map(\.subject).sorted()), expected \(expected)")
        if try await !isDone() { try await explainCopies() }
        try #require(try await isDone(), told)
        let here = try await scene.test.emailIDs()
        let emails = try await scene.test.storage.emails(here, in: scene.ada).map(\.email)
        #expect(
            emails.filter { $0.keywords.contains(.draft) }.compactMap(\.header.subject).sorted() == expected,
            told)
        #expect(scene.atService(true).map(\.subject).sorted() == expected, told)
        #expect(scene.atService(false).count == messages.count - living.count - forgotten, told)
        #expect(emails.count == messages.count - forgotten, told)
        await scene.kernel.stop()
    }

    /// Lets time go on, and does what a user would do about what has failed.
    private func hasComeToRest() async throws -> Bool {
        if try await isDone() { return true }
        turns += 1
        // A task that the clock woke may still wait for a processor: then time hardly goes on.
        scene.clock.advance(by: turns <= 60 ? 61 : 1)
        await scene.settle()
        for message in messages.values {
            guard let id = message.submission, try await !isDoubtful(id) else { continue }
            _ = try await scene.kernel.outbox.retry(id, in: scene.ada)
        }
        await scene.settle()
        try await clearUpDoubts()
        return false
    }

    /// The user asks whether the message has come, and sends it again if not.
    private func clearUpDoubts() async throws {
        for (draft, message) in messages {
            guard let id = message.submission, try await isDoubtful(id) else { continue }
            guard scene.delivered.contains(subject(draft, message.version)) else {
                _ = try await scene.kernel.outbox.retry(id, in: scene.ada)
                continue
            }
            note("forget \(draft.rawValue.suffix(3))")
            _ = try await scene.kernel.outbox.forget(id, in: scene.ada)
            _ = try await scene.kernel.drafts.destroy(draft, in: scene.ada)
            messages[draft]?.submission = nil
            // Where the service keeps what is sent, it has a copy all the same.
            if scene.layout == .folders { forgotten += 1 }
        }
    }

    private func isDone() async throws -> Bool {
        try await check()
        let living = messages.filter(\.value.isDraft)
        guard scene.delivered.count == messages.count - living.count else { return false }
        guard try await scene.kernel.drafts.all(in: scene.ada).count == living.count else { return false }
        return scene.atService(true).map(\.subject).sorted()
            == living.map { subject($0.key, $0.value.version) }.sorted()
    }
}
