import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Mail
@testable import Store

/// Ada sends messages, and is reminded of those that have no reply.
struct ReminderScene {
    static let address = "ada@example.org"

    let scene: ComposeScene

    init(_ layout: MemoryMailServer.Layout = .labels) async throws {
        scene = try await ComposeScene(layout: layout)
    }

    var reminders: [Reminder] {
        get async throws { try await Reminder.all(in: scene.ada, scene.kernel.store) }
    }

    /// Gives a message to the outbox.
    func send(
        _ subject: String = "A", reminding seconds: Double?, later: Double? = nil
    ) async throws -> Id<EmailSubmission> {
        let draft = try await scene.draft(subject)
        let until = seconds.map { scene.clock.now + $0 }
        return try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: false, at: later.map { scene.clock.now + $0 },
            noting: { submission in
                guard let until else { return [] }
                return [try Reminder(of: submission, until: until, chosenAt: submission.queuedAt).change()]
            }
        ).id
    }

    /// Sends a message, and returns its copy.
    func sent(_ subject: String = "A", reminding seconds: Double?) async throws -> Email {
        let id = try await send(subject, reminding: seconds)
        await pass(6)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        return try await copy(subject)
    }

    /// The message as the service or the program keeps it.
    func copy(_ subject: String) async throws -> Email {
        let scene = scene
        let find: @Sendable () async throws -> Email? = {
            let ids = try await scene.test.emailIDs()
            return try await scene.test.storage.emails(ids, in: scene.ada).map(\.email)
                .first { $0.header.subject == subject && !$0.keywords.contains(.draft) }
        }
        await scene.settle()
        try await scene.test.wait(for: "the copy of \(subject)") { try await find() != nil }
        return try #require(try await find())
    }

    func pass(_ seconds: Double) async {
        scene.clock.advance(by: seconds)
        await scene.kernel.outbox.changed()
        await scene.settle()
        await scene.kernel.snoozing.settle()
    }

    /// A message that answers another one.
    func deliver(answering email: Email, from: String = "grace@example.org", _ more: String = "") async throws
    {
        let messageID = try #require(email.header.messageID.first)
        let before = try await scene.test.emailIDs().count
        let text =
            "From: \(from)\r\nSubject: Re: A\r\nMessage-ID: <\(UUID().uuidString)@example.org>\r\n"
            + "In-Reply-To: <\(messageID)>\r\n\(more)\r\nText\r\n"
        scene.test.server.deliver(Data(text.utf8), to: Self.address, receivedAt: scene.clock.now)
        let test = scene.test
        try await test.wait(for: "the answer") { try await test.emailIDs().count > before }
        await scene.kernel.snoozing.settle()
    }

    func perform(_ verb: MailVerb, on email: Email) async throws -> MailAction {
        try await scene.kernel.actions.perform(verb, on: .emails([email.id]), in: scene.ada, client: "page")
    }

    /// The messages in the inbox.
    var inbox: [Email] {
        get async throws {
            let inbox = try await scene.test.mailbox(.inbox)
            let ids = try await scene.test.emailIDs()
            return try await scene.test.storage.emails(ids, in: scene.ada).map(\.email)
                .filter { $0.mailboxIDs.contains(inbox) }
        }
    }

    /// Whether the reminder of the only message has returned it, unread.
    var hasReturned: Bool {
        get async throws {
            let returned = try await reminders.first?.returned?.emailID
            return try await inbox.contains { $0.id == returned && !$0.keywords.contains(.seen) }
        }
    }

    func end() async { await scene.kernel.stop() }
}
