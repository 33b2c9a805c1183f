import FoundationEssentials
import Invitations
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// Reads the invitations in messages.
package struct InvitationDesk: Sendable {
    let store: MailStore
    let blobs: Blobs
    let sending: DraftSending
    let clock: any HostClock

    package init(store: MailStore, blobs: Blobs, sending: DraftSending, clock: any HostClock) {
        self.store = store
        self.blobs = blobs
        self.sending = sending
        self.clock = clock
    }

    /// The invitation in a message; nil if there is none that can be read.
    package func view(of emailID: Id<Email>, in accountID: Id<Account>) async throws -> InvitationView? {
        guard let stored = try await store.read.emails([emailID], in: accountID).first,
            let body = try await store.read.body(of: emailID, in: accountID),
            let part = CalendarPart(of: body),
            let invitation = try await part.invitation(from: blobs, in: accountID, now: clock.now)
        else { return nil }
        var view = InvitationView(emailID: emailID, blobID: part.blobID, invitation: invitation)
        try await addPeople(to: &view, stored.email.header, accountID)
        try await InvitationHistory(store: store, blobs: blobs).add(to: &view, stored)
        try await addAnswer(to: &view, in: accountID)
        return view
    }

    private func addPeople(
        to view: inout InvitationView, _ header: EmailHeader, _ accountID: Id<Account>
    ) async throws {
        let own = try await OwnAddresses.load(from: store, only: accountID)
        func isOwn(_ person: CalendarPerson) -> Bool { person.isReachable && own.contains(person.address) }
        let event = view.invitation.event
        let isOfAttendee = [.reply, .counter, .refresh].contains(view.invitation.method)
        view.isOrganizer = event.organizer.map(isOwn) ?? false
        let mine = event.attendees.filter { isOwn($0.person) }
        view.me = (mine.first { $0.participation != .delegated } ?? mine.first)?.person
        let named = isOfAttendee ? event.attendees.map(\.person) : [event.organizer].compactMap(\.self)
        // `Sender` proves nothing, and of several in `From` the reader sees one.
        view.isFromWhoItSays = named.isEmpty || named.contains { $0.isSender(of: header) }
        view.organizerWarning = event.organizer?.addressWarning
        view.mayAnswer =
            view.invitation.method == .request && !view.isOrganizer && !event.uid.isEmpty
            && event.organizer?.isReachable == true && event.status != .cancelled
    }

    private func addAnswer(to view: inout InvitationView, in accountID: Id<Account>) async throws {
        let event = view.invitation.event
        let noted = view.me.flatMap { me in event.attendees.first { $0.person == me }?.participation }
        view.answer = noted == .needsAction ? nil : noted
        guard let answer = try await answer(to: event, in: accountID) else { return }
        guard answer.isAbout(event) else {
            // The organizer's list counts for a version that was answered nowhere.
            view.earlierAnswer = answer.participation
            return
        }
        view.answer = answer.participation
        view.note = answer.note
        view.answerState = .sent
        guard let id = answer.submissionID,
            let submission = try await store.read.submissions([id], in: accountID).first
        else { return }
        view.answerState = submission.progress
        view.submissionID = id
        if view.answerState == .waiting { view.sendAt = submission.sendAt }
    }

    func answer(to event: CalendarEvent, in accountID: Id<Account>) async throws -> InvitationAnswer? {
        let key = InvitationAnswer.key(of: event, in: accountID)
        let answer = try await store.read.document(key)?.read(as: InvitationAnswer.self)
        return answer?.isOf(event) == true ? answer : nil
    }
}
