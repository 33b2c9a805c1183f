import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// A server with labels as it is while All Mail is hidden from mail programs: a folder for each label, and what has
/// none cannot be seen.
enum HiddenAllMail {
    private static let everything = FeedID("everything")
    private static let archive = RemoteMailboxID("archive")

    static func listing(_ listing: MailboxListing) -> MailboxListing {
        let mailboxes = listing.mailboxes.filter { $0.id != archive }
        return MailboxListing(
            mailboxes: mailboxes,
            feeds: mailboxes.map { Feed(id: FeedID($0.id.rawValue), mailboxID: $0.id, priority: 1) })
    }

    /// All of a folder each time.
    static func changes(
        in feed: FeedID, after cursor: SyncCursor?, _ known: any KnownMessages, _ inner: any AccountSession
    ) async throws(AccountError) -> ChangeBatch {
        guard feed != everything else { throw .notFound }
        let mailbox = RemoteMailboxID(feed.rawValue)
        var batch = ChangeBatch(cursor: SyncCursor(rawValue: "all"), hasMore: false)
        var next: SyncCursor?
        repeat {
            let some = try await inner.changes(in: everything, after: next, since: nil, known: HeldMessages())
            batch.messages += some.messages.filter { $0.mailboxIDs.contains(mailbox) }
            next = some.hasMore ? some.cursor : nil
        } while next != nil
        for index in batch.messages.indices { batch.messages[index].mailboxIDs = [mailbox] }
        do {
            batch.removed = try await known.ids(after: nil, limit: 1_000)
                .filter { id in !batch.messages.contains { $0.id == id } }
        } catch {
            throw .local(reason: "\(error)")
        }
        return batch
    }

    /// What the server calls it.
    static func inner(_ mutation: RemoteMutation) -> RemoteMutation {
        func all(_ addresses: [RemoteAddress]) -> [RemoteAddress] {
            addresses.map { RemoteAddress(feed: everything, id: $0.id) }
        }
        return switch mutation {
        case .setKeywords(let addresses, let add, let remove):
            .setKeywords(all(addresses), add: add, remove: remove)
        case .add(let addresses, let mailbox): .add(all(addresses), to: mailbox)
        case .remove(let addresses, let mailbox): .remove(all(addresses), from: mailbox)
        case .move(let addresses, let from, let to): .move(all(addresses), from: from, to: to)
        case .destroy(let addresses): .destroy(all(addresses))
        case .createMailbox, .renameMailbox, .deleteMailbox: mutation
        }
    }
}
