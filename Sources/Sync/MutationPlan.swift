import Mail
import MailKernelAPI

/// Says changes of emails as changes of the service's messages.
struct MutationPlan {
    let addresses: [Id<Email>: [RemoteAddress]]
    /// The emails that these are the service's names of.
    let owners: [RemoteAddress: Id<Email>]
    let map: RemoteMap

    init(refs: [RemoteRef], map: RemoteMap) {
        addresses = Dictionary(grouping: refs, by: \.emailID).mapValues { refs in
            refs.map { RemoteAddress(feed: $0.feed, id: $0.remoteID) }
        }
        owners = Dictionary(
            refs.map { (RemoteAddress(feed: $0.feed, id: $0.remoteID), $0.emailID) }
        ) { first, _ in first }
        self.map = map
    }

    /// One mutation for all emails that change in the same way.
    func mutations(for updates: [EmailUpdate]) -> [RemoteMutation] {
        var groups: [(change: EmailUpdate, emails: [Id<Email>])] = []
        for update in updates {
            var change = update
            change.id = Id("")
            if let index = groups.firstIndex(where: { $0.change == change }) {
                groups[index].emails.append(update.id)
            } else {
                groups.append((change, [update.id]))
            }
        }
        return groups.flatMap { mutations(for: $0.change, of: $0.emails) }
    }

    private func mutations(for change: EmailUpdate, of emails: [Id<Email>]) -> [RemoteMutation] {
        let all = emails.flatMap { addresses[$0] ?? [] }
        guard !all.isEmpty else { return [] }
        var mutations: [RemoteMutation] = []
        // Keywords first: a move can give the message another name.
        if !change.addKeywords.isEmpty || !change.removeKeywords.isEmpty {
            mutations.append(.setKeywords(all, add: change.addKeywords, remove: change.removeKeywords))
        }
        let added = change.addMailboxes.sorted().compactMap { map.remote($0) }
        let removed = change.removeMailboxes.sorted().compactMap { map.remote($0) }
        if added.count == 1, removed.count == 1 {
            // Moved on here before it was added there, it was added where it is to be.
            let moving = all.filter { $0.feed != map.feed(of: added[0]) }
            guard !moving.isEmpty else { return mutations }
            return mutations + [.move(inMailbox(removed[0], moving), from: removed[0], to: added[0])]
        }
        // One copy of each email is enough to add it elsewhere.
        let copies = emails.compactMap { addresses[$0]?.first }
        mutations += added.map { .add(copies, to: $0) }
        mutations += removed.map { .remove(inMailbox($0, all), from: $0) }
        return mutations
    }

    /// The remaining part of a change, judged by the mailboxes whose feeds contain the email.
    func withoutWhatIsDone(_ update: EmailUpdate) -> EmailUpdate {
        let feeds = Set((addresses[update.id] ?? []).map(\.feed))
        func isThere(_ mailbox: Id<Mailbox>) -> Bool? {
            map.remote(mailbox).flatMap { map.feed(of: $0) }.map { feeds.contains($0) }
        }
        var rest = update
        rest.addMailboxes = update.addMailboxes.filter { isThere($0) != true }
        rest.removeMailboxes = update.removeMailboxes.filter { isThere($0) != false }
        return rest
    }

    /// The copies that represent membership in a mailbox: those of its own feed, if it has one.
    private func inMailbox(_ mailbox: RemoteMailboxID, _ all: [RemoteAddress]) -> [RemoteAddress] {
        guard let feed = map.feed(of: mailbox) else { return all }
        let copies = all.filter { $0.feed == feed }
        return copies.isEmpty ? all : copies
    }
}
