import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Mail
@testable import Store

/// ORG-54, ORG-58: random kills, clocks that are set forward and back, by minutes or by the hours of time zones, and
/// nights asleep. After each step, exactly what is due by the clock has returned or been sent, and once.
@Suite("ORG-54: nothing snoozed or scheduled is lost, early or there twice") struct TimeTrialTests {
    private static let trials =
        ProcessInfo.processInfo.environment["TIME_TRIALS"].flatMap { Int($0) } ?? 200
    private static let perScene = 25

    @Test(.timeLimit(.minutes(600)), arguments: MemoryMailServer.Layout.allCases)
    func randomTrials(_ layout: MemoryMailServer.Layout) async throws {
        let seed =
            ProcessInfo.processInfo.environment["TIME_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0...UInt64.max)
        let scenes = max(1, Self.trials / MemoryMailServer.Layout.allCases.count / Self.perScene)
        for round in 0..<UInt64(scenes) {
            let model = try await TimeModel(layout, seed: seed &+ round)
            for _ in 0..<Self.perScene { try await model.trial() }
            try await model.end()
        }
    }
}

private actor TimeModel {
    private struct Scheduled {
        let subject: String
        let id: Id<EmailSubmission>
        var sendAt: Date
    }

    private static let steps = 8

    private let scene: ComposeScene
    private let seed: UInt64
    private var random: Dice
    private var story: [String] = []
    /// When each snoozable message returns; nil for those in the inbox.
    private var returns: [Id<Email>: Date?] = [:]
    private var last: (action: Id<MailAction>, email: Id<Email>, before: Date?, after: Date?)?
    private var scheduled: [Scheduled] = []
    private var sent: [String] = []
    private var drafts = 0
    private var inbox = Id<Mailbox>("")

    private var told: Comment { "seed \(seed): \(story.suffix(40).joined(separator: ", "))" }
    private var now: Date { scene.clock.now }

    init(_ layout: MemoryMailServer.Layout, seed: UInt64) async throws {
        scene = try await ComposeScene(layout: layout)
        self.seed = seed
        random = Dice(state: seed | 1)
        for number in 0..<4 {
            let text =
                "From: g@example.org\r\nSubject: \(number)\r\nMessage-ID: <\(number)@example.org>\r\n\r\nText\r\n"
            scene.test.server.deliver(Data(text.utf8), to: "ada@example.org", receivedAt: scene.clock.now)
        }
        let test = scene.test
        try await test.wait(for: "mail") { try await test.emailIDs().count == 4 }
        for id in try await scene.test.emailIDs() { returns.updateValue(nil, forKey: id) }
        inbox = try await scene.test.mailbox(.inbox)
    }

    func trial() async throws {
        for _ in 0..<Self.steps {
            try await step()
            try await check()
        }
    }

    private func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<24: try await snooze()
        case 24..<30: try await unsnooze()
        case 30..<36: try await undo()
        case 36..<48: try await schedule()
        case 48..<52: try await cancel()
        case 52..<56: try await reschedule()
        case 56..<64:
            story.append("kill")
            try await scene.kill()
        case 64..<70: move(by: Double(Int.random(in: -14...14, using: &random)) * 3600, "zone")
        case 70..<76: move(by: Double.random(in: -7200...0, using: &random), "back")
        case 76..<82: move(by: Double(Int.random(in: 6...12, using: &random)) * 3600, "asleep")
        default: move(by: Double.random(in: 0...1800, using: &random), "later")
        }
    }

    private func move(by seconds: Double, _ what: String) {
        story.append("\(what) \(Int(seconds))")
        scene.clock.advance(by: seconds)
    }

    private func time() -> Date { now + Double(Int.random(in: 1...20_000, using: &random)) }
    private func message() throws -> Id<Email> {
        let one = returns.keys.sorted().randomElement(using: &random)
        return try #require(one)
    }

    private func perform(_ verb: MailVerb, on id: Id<Email>, becoming date: Date?) async throws {
        let before = returns[id] ?? nil
        let action = try await scene.kernel.actions.perform(
            verb, on: .emails([id]), in: scene.ada, client: "page")
        returns.updateValue(date, forKey: id)
        last = action.mayBeUndone ? (action.id, id, before, date) : nil
    }

    private func snooze() async throws {
        let (id, until) = (try message(), time())
        story.append("snooze \(id.rawValue.suffix(3)) \(Int(until.timeIntervalSince(now)))")
        try await perform(.snooze(until: until), on: id, becoming: until)
    }

    private func unsnooze() async throws {
        let id = try message()
        story.append("unsnooze \(id.rawValue.suffix(3))")
        try await perform(.unsnooze, on: id, becoming: nil)
    }

    /// What has returned since, or was changed again, stays as it is.
    private func undo() async throws {
        guard let last else { return }
        story.append("undo")
        self.last = nil
        _ = try await scene.kernel.actions.undo(last.action, in: scene.ada)
        if (returns[last.email] ?? nil) == last.after { returns.updateValue(last.before, forKey: last.email) }
    }

    private func schedule() async throws {
        drafts += 1
        let (subject, date) = ("later \(drafts)", time())
        story.append("\(subject) \(Int(date.timeIntervalSince(now)))")
        let draft = try await scene.kernel.drafts.create(try await scene.content(subject), in: scene.ada)
        let id = try await scene.kernel.sending.send(draft.id, in: scene.ada, isFromPage: true, at: date).id
        scheduled.append(Scheduled(subject: subject, id: id, sendAt: date))
    }

    private func cancel() async throws {
        guard let index = scheduled.indices.randomElement(using: &random) else { return }
        story.append("cancel \(scheduled[index].subject)")
        let canceled = try await scene.kernel.outbox.cancel(scheduled[index].id, in: scene.ada)
        try #require(canceled != nil, told)
        scheduled.remove(at: index)
    }

    private func reschedule() async throws {
        guard let index = scheduled.indices.randomElement(using: &random) else { return }
        let date = time()
        story.append("reschedule \(scheduled[index].subject) \(Int(date.timeIntervalSince(now)))")
        try #require(
            try await scene.kernel.outbox.reschedule(scheduled[index].id, in: scene.ada, to: date), told)
        scheduled[index].sendAt = date
    }

    /// What is due has happened, and nothing else. After a kill that may need a while: an interrupted move shows where a
    /// message was, and an account has to connect before it can send.
    private func check() async throws {
        var found = try await unexpected()
        for _ in 0..<60 where !found.isEmpty {
            scene.clock.advance(by: 61)
            await scene.settle()
            found = try await unexpected()
        }
        story += found
        try #require(found.isEmpty, told)
    }

    /// By the clock as it stands. Nothing is ever sent early or twice.
    private func unexpected() async throws -> [String] {
        let date = now
        await scene.kernel.snoozing.settle()
        var found: [String] = []
        for (id, until) in returns {
            if let until, until <= date { returns.updateValue(nil, forKey: id) }
            let isAwake = try await scene.test.email(id).mailboxIDs.contains(inbox)
            if isAwake != ((returns[id] ?? nil) == nil) {
                found.append("\(id.rawValue.suffix(3)) is \(isAwake ? "awake" : "asleep")")
            }
        }
        let snoozes = try await Snooze.all(in: scene.ada, scene.kernel.store).mapValues(\.until)
        let expected = returns.compactMapValues { $0 }
        // None ends early. One may last until it is known where its message is.
        try #require(expected.allSatisfy { id, until in snoozes[id] == until }, told)
        found += snoozes.keys.filter { expected[$0] == nil }.map {
            "\($0.rawValue.suffix(3)) is still snoozed"
        }
        sent += scheduled.filter { $0.sendAt <= date }.map(\.subject)
        scheduled.removeAll { $0.sendAt <= date }
        await scene.kernel.outbox.changed()
        await scene.kernel.outbox.settle()
        let delivered = scene.delivered
        try #require(Set(delivered).count == delivered.count && Set(delivered).isSubset(of: sent), told)
        found += sent.filter { !delivered.contains($0) }.map { "\($0) is not sent" }
        return found
    }

    /// At last all is in the inbox and sent, here and at the service.
    func end() async throws {
        // A clock that was set back several times can be more than a day before the last of them.
        let last = (returns.values.compactMap { $0 } + scheduled.map(\.sendAt)).max() ?? now
        move(by: max(86_400, last.timeIntervalSince(now) + 1), "end")
        try await check()
        await scene.settle()
        try #require(scheduled.isEmpty && returns.values.allSatisfy { $0 == nil }, told)
        let there = scene.test.server.messages(of: "ada@example.org").map(\.subject)
            .filter { Int($0) != nil }.sorted()
        #expect(there == ["0", "1", "2", "3"], told)
        await scene.kernel.stop()
    }
}

/// The same numbers for the same seed (xorshift64*).
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }
}
