import MailKernelAPI

/// Emails with the same change, as they are stored: an action on thousands of messages makes the same change to nearly
/// all of them, and one list of ids is written and read many times faster than an update for each.
struct UpdateGroup: Codable, Sendable {
    /// The change of the first of them.
    private var change: EmailUpdate
    private var ids: [Id<Email>]

    /// Fewer updates are not worth it, and are stored in a form that older programs can read.
    private static let least = 20

    /// Nil if the updates are better stored one by one.
    static func all(_ updates: [EmailUpdate]) -> [UpdateGroup]? {
        // Two updates of one email are made in their order.
        guard updates.count >= least, Set(updates.map(\.id)).count == updates.count else { return nil }
        var groups: [UpdateGroup] = []
        var places: [EmailUpdate: Int] = [:]
        for update in updates {
            var change = update
            change.id = Id("")
            if let place = places[change] {
                groups[place].ids.append(update.id)
            } else {
                places[change] = groups.count
                groups.append(UpdateGroup(change: update, ids: [update.id]))
            }
        }
        return groups.count <= updates.count / 2 ? groups : nil
    }

    var updates: [EmailUpdate] {
        ids.map { id in
            var update = change
            update.id = id
            return update
        }
    }
}
