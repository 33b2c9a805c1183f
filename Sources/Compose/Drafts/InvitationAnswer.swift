import FoundationEssentials
import Invitations
import MailKernelAPI
import Store

/// The user's answer to an invitation: with the draft that sends it, and for itself as long as it stands.
package struct InvitationAnswer: Codable, Sendable, Hashable {
    static let collection = "invitation-answer"

    package var uid: String
    /// The address of who invited, in one form: someone else may send an invitation with the same UID.
    var organizer: String?
    /// The occurrence that was answered; nil for the whole event.
    var occurrence: String?
    var sequence: Int
    var stamp: Date?
    package var participation: Participation
    package var note: String
    /// The calendar as it is sent.
    var calendar: String
    /// What sends it; it may be gone once it was sent.
    package var submissionID: Id<EmailSubmission>?
    package var answeredAt: Date

    init(
        to event: CalendarEvent, _ participation: Participation, note: String, calendar: String, at date: Date
    ) {
        uid = event.uid
        organizer = event.organizer?.key
        occurrence = event.recurrenceID?.moment
        sequence = event.sequence
        stamp = event.stamp
        self.participation = participation
        self.note = note
        self.calendar = calendar
        answeredAt = date
    }

    /// Whether it answers this version of an event.
    func isAbout(_ event: CalendarEvent) -> Bool {
        isOf(event) && sequence == event.sequence && stamp == event.stamp
    }

    func isOf(_ event: CalendarEvent) -> Bool {
        uid == event.uid && occurrence == event.recurrenceID?.moment && organizer == event.organizer?.key
    }

    // MARK: Its document

    static func key(of event: CalendarEvent, in accountID: Id<Account>) -> DocumentKey {
        key([event.uid, event.recurrenceID?.moment, event.organizer?.key], accountID)
    }

    func key(in accountID: Id<Account>) -> DocumentKey {
        Self.key([uid, occurrence, organizer], accountID)
    }

    /// A UID may be long and contain anything, so its hash is the name (FNV-1a). The document holds the UID as well.
    private static func key(_ parts: [String?], _ accountID: Id<Account>) -> DocumentKey {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in parts.map({ $0 ?? "" }).joined(separator: "\n").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return DocumentKey(collection, String(hash, radix: 16), accountID: accountID)
    }

    /// The answer that stands, sent by a submission.
    func change(sentBy submissionID: Id<EmailSubmission>, in accountID: Id<Account>) throws -> StorageChange {
        var answer = self
        answer.submissionID = submissionID
        return .putDocument(Document(key(in: accountID), value: try JSONValue(encoding: answer)))
    }

    /// Takes the answer back that a submission was to send, unless another has taken its place.
    func withdrawal(
        of submissionID: Id<EmailSubmission>, in accountID: Id<Account>, from store: MailStore
    ) async throws -> [StorageChange] {
        let key = key(in: accountID)
        let kept = try await store.read.document(key)?.read(as: InvitationAnswer.self)
        return kept?.submissionID == submissionID ? [.destroyDocument(key)] : []
    }
}
