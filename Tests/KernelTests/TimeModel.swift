import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Mail
@testable import Store

/// A user who snoozes, sends later and waits for replies at random, and what should become of it.
actor TimeModel {
    private struct Scheduled {
        let subject: String
        let id: Id<EmailSubmission>
        var sendAt: Date
        let wait: SentModel.Wait?
    }

    /// The last action, with which it can be undone.
    private enum Last {
        case snooze(Id<MailAction>, Id<Email>, before: Date?, after: Date?)
        case remind(Id<MailAction>, subject: String, before: SentModel.Wait?, after: SentModel.Wait?)
    }

    private static let steps = 8
    private static let mostWaits = 5

    let scene: ComposeScene
    private let seed: UInt64
    private var random: Dice
    private var story: [String] = []
    /// When each snoozable message returns; nil for those in the inbox.
    private var returns: [Id<Email>: Date?] = [:]
    private var last: Last?
    private var scheduled: [Scheduled] = []
    private var sent = SentModel()
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
            // In the middle of what the step has begun. What may have left by then could be anywhere.
            if Int.random(in: 0..<16, using: &random) == 0, !scheduled.contains(where: { $0.sendAt <= now }) {
                try await kill()
            }
            try await check()
        }
    }

    private func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<16: try await snooze()
        case 16..<21: try await unsnooze()
        case 21..<28: try await undo()
        case 28..<39: try await schedule()
        case 39..<42: try await cancel()
        case 42..<45: try await reschedule()
        case 45..<55: try await remind()
        case 55..<58: try await unremind()
        case 58..<62: try await reply()
        case 62..<66: try await seeTo()
        case 66..<71: try await kill()
        case 71..<77: move(by: Double(Int.random(in: -14...14, using: &random)) * 3600, "set")
        case 77..<82: move(by: Double.random(in: -7200...0, using: &random), "back")
        case 82..<88: move(by: Double(Int.random(in: 6...12, using: &random)) * 3600, "asleep")
        default: move(by: Double.random(in: 0...1800, using: &random), "later")
        }
    }

    private func kill() async throws {
        story.append("kill")
        try await scene.kill()
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

    private func perform(_ verb: MailVerb, on id: Id<Email>) async throws -> MailAction {
        try await scene.kernel.actions.perform(verb, on: .emails([id]), in: scene.ada, client: "page")
    }

    /// What has returned since, or was changed again, stays as it is.
    private func undo() async throws {
        guard let last else { return }
        self.last = nil
        switch last {
        case .snooze(let action, let id, let before, let after):
            story.append("undo \(id.rawValue.suffix(3))")
            _ = try await scene.kernel.actions.undo(action, in: scene.ada)
            if (returns[id] ?? nil) == after { returns.updateValue(before, forKey: id) }
        case .remind(let action, let subject, let before, let after):
            story.append("undo \(subject)")
            _ = try await scene.kernel.actions.undo(action, in: scene.ada)
            guard let index = sent.messages.firstIndex(where: { $0.subject == subject }) else { return }
            if sent.messages[index].wait?.until == after?.until { sent.messages[index].wait = before }
        }
    }

    /// What is due has happened, and nothing else. After a kill that may need a while: an interrupted move shows where a
    /// message was, and an account has to connect before it can send.
    private func check() async throws {
        var found = try await unexpected()
        for round in 0..<60 where !found.isEmpty {
            if round > 0 { scene.clock.advance(by: 61) }
            await scene.settle()
            found = try await unexpected()
        }
        if !found.isEmpty { story += try await found + TimeTrouble(scene: scene).told() }
        try #require(found.isEmpty, told)
    }

    /// By the clock as it stands. Nothing is ever sent early or twice.
    private func unexpected() async throws -> [String] {
        let date = now
        var found: [String] = []
        let due = scheduled.filter { $0.sendAt <= date }
        sent.messages += due.map { SentModel.Message(subject: $0.subject, sendAt: $0.sendAt, wait: $0.wait) }
        scheduled.removeAll { $0.sendAt <= date }
        await scene.kernel.outbox.changed()
        await scene.kernel.outbox.settle()
        let delivered = scene.delivered
        let subjects = sent.messages.map(\.subject)
        try #require(
            Set(delivered).count == delivered.count && Set(delivered).isSubset(of: subjects), told)
        found += subjects.filter { !delivered.contains($0) }.map { "\($0) is not sent" }
        await scene.kernel.snoozing.settle()
        if sent.messages.contains(where: { $0.copy == nil }) {
            sent.find(in: try await emails(try await scene.test.emailIDs()))
        }
        let emails = try await emails(returns.keys.sorted() + sent.messages.compactMap(\.copy))
        let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
        found += try await unexpectedSnoozes(byID, date)
        return try await found + unexpectedReminders(byID, date)
    }

    private func emails(_ ids: [Id<Email>]) async throws -> [Email] {
        try await scene.test.storage.emails(ids, in: scene.ada).map(\.email)
    }

    private func unexpectedSnoozes(_ emails: [Id<Email>: Email], _ date: Date) async throws -> [String] {
        var found: [String] = []
        for (id, until) in returns {
            if let until, until <= date { returns.updateValue(nil, forKey: id) }
            let isAwake = try #require(emails[id], told).mailboxIDs.contains(inbox)
            if isAwake != ((returns[id] ?? nil) == nil) {
                found.append("\(id.rawValue.suffix(3)) is \(isAwake ? "awake" : "asleep")")
            }
        }
        let snoozes = try await Snooze.all(in: scene.ada, scene.kernel.store).mapValues(\.until)
        let expected = returns.compactMapValues { $0 }
        // None ends early. One may last until it is known where its message is.
        try #require(expected.allSatisfy { id, until in snoozes[id] == until }, told)
        return found
            + snoozes.keys.filter { expected[$0] == nil }.map { "\($0.rawValue.suffix(3)) is still snoozed" }
    }

    private func unexpectedReminders(_ emails: [Id<Email>: Email], _ date: Date) async throws -> [String] {
        var reminders: [Id<Reminder>: Reminder] = [:]
        for one in try await Reminder.all(in: scene.ada, scene.kernel.store) { reminders[one.id] = one }
        for one in scheduled.compactMap(\.wait) {
            let waiting = reminders.removeValue(forKey: one.id)
            try #require(waiting?.until == one.until && waiting?.sentAt == nil, told)
        }
        do {
            return try sent.compare(reminders, now: date) + sent.compare(emails, inbox: inbox)
        } catch {
            story.append("\(error)")
            try #require(Bool(false), told)
            return []
        }
    }

    /// At last all is in the inbox and sent, here and at the service.
    func end() async throws {
        // A clock that was set back several times can be more than a day before the last of them.
        let times =
            returns.values.compactMap { $0 } + scheduled.map(\.sendAt) + sent.waits.map(\.until)
            + scheduled.compactMap(\.wait?.until)
        move(by: max(86_400, (times.max() ?? now).timeIntervalSince(now) + 1), "end")
        try await check()
        // The wait for replies to what was sent only now.
        move(by: 20_001, "end")
        try await check()
        await scene.settle()
        try #require(scheduled.isEmpty && returns.values.allSatisfy { $0 == nil }, told)
        try #require(sent.waits.allSatisfy { $0.returned != nil }, told)
        let expected = ["0", "1", "2", "3"] + sent.messages.map(\.subject).sorted()
        let all = try await emails(try await scene.test.emailIDs())
        let here = all.filter { !$0.keywords.contains(.draft) }.compactMap(\.header.subject)
        for subjects in [here, scene.atService(false).map(\.subject)] {
            #expect(subjects.filter { !$0.hasPrefix("Re:") }.sorted() == expected, told)
        }
        await scene.kernel.stop()
    }
}

// MARK: Snoozed and scheduled

extension TimeModel {
    private func snooze(_ verb: MailVerb, _ id: Id<Email>, becoming date: Date?) async throws {
        let before = returns[id] ?? nil
        let action = try await perform(verb, on: id)
        returns.updateValue(date, forKey: id)
        last = action.mayBeUndone ? .snooze(action.id, id, before: before, after: date) : nil
    }

    private func snooze() async throws {
        let (id, until) = (try message(), time())
        story.append("snooze \(id.rawValue.suffix(3)) \(Int(until.timeIntervalSince(now)))")
        try await snooze(.snooze(until: until), id, becoming: until)
    }

    private func unsnooze() async throws {
        let id = try message()
        story.append("unsnooze \(id.rawValue.suffix(3))")
        try await snooze(.unsnooze, id, becoming: nil)
    }

    private func schedule() async throws {
        drafts += 1
        let (subject, date) = ("later \(drafts)", time())
        let until = Bool.random(using: &random) && sent.waits.count < Self.mostWaits ? time() : nil
        story.append("\(subject) \(Int(date.timeIntervalSince(now)))")
        if let until { story.append("waiting \(Int(until.timeIntervalSince(now)))") }
        let draft = try await scene.kernel.drafts.create(try await scene.content(subject), in: scene.ada)
        let submission = try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: date,
            noting: { submission in
                guard let until else { return [] }
                return [try Reminder(of: submission, until: until, chosenAt: submission.queuedAt).change()]
            })
        let wait = until.map {
            SentModel.Wait(id: Id(submission.id.rawValue), until: $0, chosenAt: submission.queuedAt)
        }
        scheduled.append(Scheduled(subject: subject, id: submission.id, sendAt: date, wait: wait))
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
}

// MARK: Replies that are waited for

extension TimeModel {
    /// What was answered has no reminder.
    private func remind() async throws {
        let isFull = sent.waits.count >= Self.mostWaits
        let candidates = sent.known.filter { !isFull || sent.messages[$0].wait != nil }
        guard let index = candidates.randomElement(using: &random), let copy = sent.messages[index].copy
        else { return }
        let (until, message) = (time(), sent.messages[index])
        story.append("remind \(message.subject) \(Int(until.timeIntervalSince(now)))")
        let action = try await perform(.remind(until: until), on: copy)
        try #require((action.changed == 1) == !message.isAnswered, told)
        guard !message.isAnswered else { return }
        let id = message.wait?.id ?? Id(copy.rawValue)
        let wait = SentModel.Wait(id: id, until: until, chosenAt: now)
        (sent.messages[index].wait, sent.messages[index].hasBegun) = (wait, true)
        last =
            action.mayBeUndone
            ? .remind(action.id, subject: message.subject, before: message.wait, after: wait) : nil
    }

    private func unremind() async throws {
        let waiting = sent.known.filter { sent.messages[$0].wait != nil }
        guard let index = waiting.randomElement(using: &random), let copy = sent.messages[index].copy
        else { return }
        let message = sent.messages[index]
        story.append("unremind \(message.subject)")
        let action = try await perform(.unremind, on: copy)
        sent.messages[index].wait = nil
        last =
            action.mayBeUndone
            ? .remind(action.id, subject: message.subject, before: message.wait, after: nil) : nil
    }

    private func reply() async throws {
        let open = sent.known.filter { sent.messages[$0].wait != nil }
        guard let index = open.randomElement(using: &random), let copy = sent.messages[index].copy
        else { return }
        story.append("reply to \(sent.messages[index].subject)")
        let messageID = try #require(try await scene.test.email(copy).header.messageID.first)
        let text =
            "From: grace@example.org\r\nSubject: Re: \(sent.messages[index].subject)\r\n"
            + "Message-ID: <re.\(messageID)>\r\nIn-Reply-To: <\(messageID)>\r\n\r\nText\r\n"
        let test = scene.test
        let before = try await test.emailIDs().count
        test.server.deliver(Data(text.utf8), to: "ada@example.org", receivedAt: now)
        try await test.wait(for: "the reply") { try await test.emailIDs().count > before }
        sent.messages[index].isAnswered = true
    }

    /// The user reads or archives what has returned.
    private func seeTo() async throws {
        let there = sent.known.filter { sent.messages[$0].isInInbox }
        guard let index = there.randomElement(using: &random), let copy = sent.messages[index].copy
        else { return }
        let verb: MailVerb = Bool.random(using: &random) ? .read : .archive
        story.append("\(verb) \(sent.messages[index].subject)")
        _ = try await perform(verb, on: copy)
        if verb == .read {
            sent.messages[index].isUnread = false
        } else {
            sent.messages[index].isInInbox = false
        }
    }
}
