import Foundation
import MailKernelAPI

@testable import Mail

/// What should have become of the messages that the user sent, and of their reminders.
struct SentModel {
    struct Wait: Equatable {
        let id: Id<Reminder>
        var until: Date
        var chosenAt: Date
        /// When the program returned the conversation.
        var returned: Date?
    }

    struct Message {
        let subject: String
        /// When it was due to be sent.
        let sendAt: Date
        var wait: Wait?
        /// The copy in Sent, once there is one.
        var copy: Id<Email>?
        /// Whether it is known when the wait began.
        var hasBegun = false
        var isAnswered = false
        var isInInbox = false
        var isUnread = false
    }

    /// What there is no way back from.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    var messages: [Message] = []

    var waits: [Wait] { messages.compactMap(\.wait) }
    /// Those that something can be done with.
    var known: [Int] { messages.indices.filter { messages[$0].copy != nil } }

    /// Compares reminders with what they should be, and learns when they began and returned.
    ///
    /// - Returns: what has not happened yet.
    mutating func compare(_ reminders: [Id<Reminder>: Reminder], now: Date) throws -> [String] {
        var late: [String] = []
        for index in messages.indices {
            let name = messages[index].subject
            try begin(index, reminders, now)
            guard messages[index].end(), let wait = messages[index].wait else { continue }
            guard let reminder = reminders[wait.id] else { throw Fault("the reminder of \(name) is lost") }
            guard messages[index].hasBegun else {
                late.append("the wait for a reply to \(name) has not begun")
                continue
            }
            if reminder.emailID != messages[index].copy { late.append("\(name) is not found") }
            guard reminder.until == wait.until else { throw Fault("\(name) has another time") }
            guard let returned = reminder.returned?.at else {
                if wait.returned != nil { throw Fault("\(name) waits again") }
                if wait.until <= now { late.append("\(name) has not returned") }
                continue
            }
            if let known = wait.returned, known != returned { throw Fault("\(name) returned twice") }
            guard wait.returned == nil else { continue }
            if returned < wait.until || returned > now { throw Fault("\(name) returned early") }
            messages[index].wait?.returned = returned
            (messages[index].isInInbox, messages[index].isUnread) = (true, true)
        }
        let expected = Set(waits.map(\.id))
        return late + reminders.keys.filter { !expected.contains($0) }.map { "\($0) has not ended" }
    }

    /// A message that was sent after its reminder's time is waited for as long as the user meant to.
    private mutating func begin(_ index: Int, _ reminders: [Id<Reminder>: Reminder], _ now: Date) throws {
        let message = messages[index]
        guard !message.hasBegun, var wait = message.wait else { return }
        guard let reminder = reminders[wait.id] else { throw Fault("\(message.subject) lost its reminder") }
        guard let sentAt = reminder.sentAt else { return }
        if sentAt < message.sendAt || sentAt > now { throw Fault("\(message.subject) was sent at \(sentAt)") }
        if wait.until <= sentAt {
            wait.until = sentAt + max(60, wait.until.timeIntervalSince(wait.chosenAt))
        }
        (messages[index].wait, messages[index].hasBegun) = (wait, true)
    }

    /// Compares where messages are.
    mutating func compare(_ emails: [Id<Email>: Email], inbox: Id<Mailbox>) -> [String] {
        var found: [String] = []
        for index in messages.indices {
            let message = messages[index]
            guard let email = message.copy.flatMap({ emails[$0] }) else {
                messages[index].copy = nil
                found.append("\(message.subject) has no copy")
                continue
            }
            if email.mailboxIDs.contains(inbox) != message.isInInbox {
                found.append("\(message.subject) is \(message.isInInbox ? "not " : "")in the inbox")
            }
            if email.keywords.contains(.seen) == message.isUnread {
                found.append("\(message.subject) is \(message.isUnread ? "read" : "unread")")
            }
        }
        return found
    }

    /// Notes the copies that have arrived.
    mutating func find(in emails: [Email]) {
        for index in messages.indices where messages[index].copy == nil {
            let copy = emails.first {
                $0.header.subject == messages[index].subject && !$0.keywords.contains(.draft)
            }
            messages[index].copy = copy?.id
        }
    }
}

extension SentModel.Fault {
    init(_ description: String) { self.description = description }
}

extension SentModel.Message {
    /// A reply ends a wait, and so does the user who archives what has returned. Returns whether the wait goes on.
    mutating func end() -> Bool {
        if isAnswered || wait?.returned != nil && !isInInbox { wait = nil }
        return wait != nil
    }
}
