import FoundationEssentials
import Invitations
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// The other versions of an event: in the conversation, in messages of the sender and of the organizer whose subject has
/// its title, and in their newest messages, since some services begin a conversation with each update.
///
/// A UID is no secret: a message counts only if it names the same organizer, and comes from the organizer or from who
/// sent the message that is shown.
struct InvitationHistory {
    /// So many messages of each kind are looked at, and so many calendars read in all.
    private static let mostMessages = 30
    private static let mostCalendars = 40
    /// Of a calendar that is read for another one.
    private static let mostBytes = 200_000

    let store: MailStore
    let blobs: Blobs

    func add(to view: inout InvitationView, _ stored: StoredEmail) async throws {
        let invitation = view.invitation
        guard [.request, .cancel, .publish].contains(invitation.method), !invitation.event.uid.isEmpty else {
            return
        }
        let event = invitation.event
        let others = try await versions(of: event, besides: stored)
        let same = others.filter { $0.invitation.event.recurrenceID?.moment == event.recurrenceID?.moment }
        let older = same.filter { event.isNewer(than: $0.invitation.event) }
        view.previous = older.max { $1.invitation.event.isNewer(than: $0.invitation.event) }?.invitation
        if let previous = view.previous, invitation.method != .cancel {
            view.changes = InvitationChange.between(previous, invitation)
        } else if let place = event.recurrenceID, event.start?.isSame(as: place) == false {
            // One occurrence of a series that was moved.
            view.changes = [.time]
        }
        // A later version of the series counts for each of its occurrences.
        let newer = others.filter { other in
            let theirs = other.invitation.event
            let isWider =
                theirs.recurrenceID == nil || theirs.recurrenceID?.moment == event.recurrenceID?.moment
            return isWider && theirs.isNewer(than: event)
        }
        view.newer = newer.max { $1.invitation.event.isNewer(than: $0.invitation.event) }
            .map { ($0.emailID, $0.invitation.method == .cancel) }
    }

    private typealias Version = (emailID: Id<Email>, invitation: Invitation)

    private func versions(
        of event: CalendarEvent, besides stored: StoredEmail
    ) async throws -> [Version] {
        let accountID = stored.email.accountID
        var found: [Version] = []
        var read = 0
        let ids = try await candidates(besides: stored, of: event)
        let senders = Set([event.organizer?.key, Self.sender(of: stored.email)].compactMap(\.self))
        let emails = try await store.read.emails(ids, in: accountID).map { ($0.email.id, $0.email) }
        let known = Dictionary(emails) { first, _ in first }
        for id in ids {
            guard read < Self.mostCalendars else { break }
            guard let sender = known[id].flatMap(Self.sender), senders.contains(sender),
                let body = try await store.read.body(of: id, in: accountID),
                let part = CalendarPart(of: body), part.part.size <= Self.mostBytes
            else { continue }
            read += 1
            // One that cannot be had is not worth an error in another.
            guard let other = try? await part.invitation(from: blobs, in: accountID, now: nil),
                other.event.uid == event.uid, other.event.organizer?.key == event.organizer?.key,
                [.request, .cancel, .publish].contains(other.method)
            else { continue }
            found.append((id, other))
        }
        return found
    }

    /// Of several, none is known to be the one who sent it.
    private static func sender(of email: Email) -> String? {
        email.header.from.count == 1 ? email.header.from.first?.key : nil
    }

    private func candidates(
        besides stored: StoredEmail, of event: CalendarEvent
    ) async throws(StorageError) -> [Id<Email>] {
        let accountID = stored.email.accountID
        let thread = try await store.read.threads([stored.threadID], in: accountID).first?.emailIDs ?? []
        var ids = Array(thread.suffix(Self.mostMessages).reversed())
        // Another sender than the organizer is no reason to miss what the organizer sent before.
        let senders = Set([stored.email.header.from.first?.email, event.organizer?.email].compactMap(\.self))
            .filter { !$0.isEmpty }
        if !senders.isEmpty {
            let sent = EmailFilter.or(senders.sorted().map { .from($0) })
            let title = event.title
            let filters = title.isEmpty ? [sent] : [.and([sent, .subject(title)]), sent]
            for filter in filters {
                let query = EmailQuery(in: [accountID], filter: filter, limit: Self.mostMessages)
                ids += try await store.read.queryEmails(query).hits.map(\.emailID)
            }
        }
        var seen: Set<Id<Email>> = [stored.email.id]
        return ids.filter { seen.insert($0).inserted }
    }
}
