import FoundationEssentials
import Invitations
import MailKernelAPI
import MessageFormat
import Store

/// Answers to invitations. An answer is a message of its own, which goes through the outbox like any other.
extension InvitationDesk {
    private static let mostNote = 2000

    /// Answers an invitation. An answer that can still be taken back is replaced.
    ///
    /// - Parameter isFromPage: its undo time stands still while no window of the page is open.
    /// - Returns: the submission. It is on disk.
    /// - Throws: `InvitationError`; `ComposeError` if it cannot be sent.
    package func answer(
        _ emailID: Id<Email>, in accountID: Id<Account>, with participation: Participation, note: String = "",
        isFromPage: Bool
    ) async throws -> EmailSubmission {
        guard let named = try await view(of: emailID, in: accountID) else { throw InvitationError.notFound }
        return try await inTurn(named, accountID) {
            // Read again: another answer may have come first.
            guard let view = try await view(of: emailID, in: accountID) else {
                throw InvitationError.notFound
            }
            guard view.mayAnswer else { throw InvitationError.notAnswerable }
            let note = String(note.prefix(Self.mostNote)).trimmingBlanks
            let isRepeated = view.answer == participation && view.note == note
            if isRepeated, ![.none, .failed].contains(view.answerState) {
                throw InvitationError.alreadyAnswered
            }
            try await withdraw(view, in: accountID)
            return try await send(view, participation, note, in: accountID, isFromPage: isFromPage)
        }
    }

    /// Takes an answer back that was not sent.
    ///
    /// - Returns: whether it was not too late.
    package func takeBack(_ emailID: Id<Email>, in accountID: Id<Account>) async throws -> Bool {
        guard let named = try await view(of: emailID, in: accountID) else { throw InvitationError.notFound }
        return try await inTurn(named, accountID) {
            guard let view = try await view(of: emailID, in: accountID) else {
                throw InvitationError.notFound
            }
            return try await withdraw(view, in: accountID)
        }
    }

    private func inTurn<Answer: Sendable>(
        _ view: InvitationView, _ accountID: Id<Account>, _ change: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let key = InvitationAnswer.key(of: view.invitation.event, in: accountID)
        return try await sending.drafts.copies.turns.take("invitation-\(accountID)-\(key.name)", change)
    }

    /// Calls the answer back if that is still possible, and removes what is left of answers that were never sent.
    @discardableResult
    private func withdraw(_ view: InvitationView, in accountID: Id<Account>) async throws -> Bool {
        var isTakenBack = false
        if let id = view.submissionID, view.answerState != .sent {
            isTakenBack = try await sending.outbox.cancel(id, in: accountID) != nil
        }
        let event = view.invitation.event
        for draft in try await sending.drafts.all(in: accountID)
        where draft.submissionID == nil && draft.content.answer?.isOf(event) == true {
            _ = try await sending.drafts.destroy(draft.id, in: accountID)
        }
        return isTakenBack
    }

    private func send(
        _ view: InvitationView, _ participation: Participation, _ note: String, in accountID: Id<Account>,
        isFromPage: Bool
    ) async throws -> EmailSubmission {
        guard let stored = try await store.read.emails([view.emailID], in: accountID).first,
            let organizer = view.invitation.event.organizer
        else { throw InvitationError.notFound }
        let identity = try await identity(for: view, stored.email, in: accountID)
        let event = view.invitation.event
        let name = identity.name.isEmpty ? nil : identity.name
        // The organizer knows the attendee by the address that was invited.
        let attendee = CalendarPerson(name: view.me?.name ?? name, email: view.me?.email ?? identity.email)
        let reply = ReplyWriter(to: event, from: attendee, participation, note: note, at: clock.now)
        let words = AnswerWords(participation, to: event, from: name ?? attendee.email, note: note)
        var content = DraftContent(
            identityID: identity.id, mode: .reply, sourceEmailID: view.emailID,
            to: [EmailAddress(name: organizer.name, email: organizer.email)], subject: words.subject,
            body: words.text, inReplyTo: stored.email.header.messageID.filter(Prefill.isUsable),
            references: Prefill.references(of: stored.email.header))
        content.answer = InvitationAnswer(
            to: event, participation, note: note, calendar: reply.calendar, at: clock.now)
        let draft = try await sending.drafts.create(content, in: accountID)
        return try await sending.send(draft.id, in: accountID, isFromPage: isFromPage)
    }

    /// The one that was invited, or else the one that the message was sent to.
    private func identity(
        for view: InvitationView, _ email: Email, in accountID: Id<Account>
    ) async throws -> Identity {
        let identities = try await store.read.identities(nil, in: accountID)
        if let me = view.me, let invited = identities.first(where: { me.isSame(as: $0.email) }) {
            return invited
        }
        let fields = try await store.read.body(of: email.id, in: accountID)?.headers ?? []
        let receiving = ReceivingIdentity(identities: identities).identity(for: email.header, fields)
        guard let receiving else { throw ComposeError.noIdentity }
        return receiving
    }
}

/// The answer for readers whose program knows no calendar.
struct AnswerWords {
    private static let longestTitle = 200

    let subject: String
    let text: String

    init(_ participation: Participation, to event: CalendarEvent, from name: String, note: String) {
        let (word, verb) =
            switch participation {
            case .accepted: ("Accepted", "has accepted")
            case .declined: ("Declined", "has declined")
            default: ("Tentative", "has tentatively accepted")
            }
        let isLong = event.title.count > Self.longestTitle
        let short = isLong ? event.title.prefix(Self.longestTitle - 1) + "…" : event.title[...]
        let title = short.isEmpty ? "Invitation" : short
        subject = "\(word): \(title)"
        text = "\(name) \(verb) the invitation “\(title)”.\n" + (note.isEmpty ? "" : "\n\(note)\n")
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(String(drop(while: \.isWhitespace)).reversed().drop(while: \.isWhitespace).reversed())
    }
}
