import FoundationEssentials
import Invitations
import Mail
import MailKernelAPI
import Store

/// The other versions of an event: in the conversation, and in the newest messages of the sender and of the organizer,
/// since some services begin a conversation with each update.
struct InvitationHistory {
    /// So many messages are looked at, and so many calendars read.
    private static let mostMessages = 30
    private static let mostCalendars = 8

    let store: MailStore
    let blobs: Blobs
    let now: Date

    func add(to view: inout InvitationView, _ stored: StoredEmail) async throws {
        let invitation = view.invitation
        guard [.request, .cancel, .publish].contains(invitation.method), !invitation.event.uid.isEmpty else {
            return
        }
        let event = invitation.event
        let others = try await versions(besides: stored, of: event.uid, from: event.organizer?.email)
        let same = others.filter { $0.invitation.event.recurrenceID?.local == event.recurrenceID?.local }
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
                theirs.recurrenceID == nil || theirs.recurrenceID?.local == event.recurrenceID?.local
            return isWider && theirs.isNewer(than: event)
        }
        view.newer = newer.max { $1.invitation.event.isNewer(than: $0.invitation.event) }
            .map { ($0.emailID, $0.invitation.method == .cancel) }
    }

    private typealias Version = (emailID: Id<Email>, invitation: Invitation)

    private func versions(
        besides stored: StoredEmail, of uid: String, from organizer: String?
    ) async throws -> [Version] {
        let accountID = stored.email.accountID
        var found: [Version] = []
        var read = 0
        for id in try await candidates(besides: stored, from: organizer) {
            guard read < Self.mostCalendars else { break }
            guard let body = try await store.read.body(of: id, in: accountID),
                let part = CalendarPart(of: body)
            else { continue }
            read += 1
            // One that cannot be had is not worth an error in another.
            guard let other = try? await part.invitation(from: blobs, in: accountID, now: now),
                other.event.uid == uid, [.request, .cancel, .publish].contains(other.method)
            else { continue }
            found.append((id, other))
        }
        return found
    }

    private func candidates(besides stored: StoredEmail, from organizer: String?) async throws(StorageError)
        -> [Id<Email>]
    {
        let accountID = stored.email.accountID
        let thread = try await store.read.threads([stored.threadID], in: accountID).first?.emailIDs ?? []
        var ids = Array(thread.suffix(Self.mostMessages).reversed())
        // Another sender than the organizer is no reason to miss what the organizer sent before.
        let senders = Set([stored.email.header.from.first?.email, organizer].compactMap(\.self)).filter {
            !$0.isEmpty
        }
        if !senders.isEmpty {
            let filter = EmailFilter.or(senders.sorted().map { .from($0) })
            let query = EmailQuery(in: [accountID], filter: filter, limit: Self.mostMessages)
            ids += try await store.read.queryEmails(query).hits.map(\.emailID)
        }
        var seen: Set<Id<Email>> = [stored.email.id]
        return ids.filter { seen.insert($0).inserted }
    }
}
