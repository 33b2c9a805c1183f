import FoundationEssentials
import Invitations
import MailKernelAPI

/// An invitation as it is shown, with all that is known of it here.
package struct InvitationView: Sendable {
    package var emailID: Id<Email>
    /// Where the calendar can be saved from.
    package var blobID: Id<Blob>
    package var invitation: Invitation
    /// The attendee that the user is; nil if the user is not on the list.
    package var me: CalendarPerson?
    package var isOrganizer = false
    /// The message comes from the organizer, or, if it is an answer, from the attendee who answers.
    package var isFromWhoItSays = false
    /// The organizer's address is none, or imitates another.
    package var organizerWarning: String?
    package var mayAnswer = false
    /// The answer to this version, or what the organizer has noted for the user.
    package var answer: Participation?
    package var note = ""
    package var answerState = SendingProgress.none
    package var submissionID: Id<EmailSubmission>?
    package var sendAt: Date?
    /// The answer to an earlier version.
    package var earlierAnswer: Participation?
    /// The version before this one, and what is different.
    package var previous: Invitation?
    package var changes: [InvitationChange] = []
    /// A later version that has arrived, and whether that cancels the event.
    package var newer: (emailID: Id<Email>, isCancellation: Bool)?
}

/// Why an invitation was not answered.
package enum InvitationError: Error, Sendable, Hashable {
    case notFound
    /// It is no invitation that expects an answer.
    case notAnswerable
    /// The same answer was sent already.
    case alreadyAnswered

    package var sentence: String {
        switch self {
        case .notFound: "This message contains no invitation."
        case .notAnswerable: "This invitation cannot be answered."
        case .alreadyAnswered: "This answer was already sent."
        }
    }
}
