import MailKernelAPI
import Synchronization

/// The last results that queries had, to say later how they differ from today's.
final class QueryMemory: Sendable {
    private static let limit = 64

    private struct Entry {
        var query: EmailQuery
        var state: State
        var emailIDs: [Id<Email>]
    }

    private let entries = Mutex<[Entry]>([])

    func remember(_ hits: [EmailQueryResult.Hit], of query: EmailQuery, at state: State) {
        let entry = Entry(query: Self.identity(of: query), state: state, emailIDs: hits.map(\.emailID))
        entries.withLock { entries in
            entries.removeAll { $0.query == entry.query && $0.state == state }
            entries.append(entry)
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }

    func result(of query: EmailQuery, at state: State) -> [Id<Email>]? {
        let identity = Self.identity(of: query)
        return entries.withLock { entries in
            entries.last { $0.query == identity && $0.state == state }?.emailIDs
        }
    }

    /// How to make `new` out of `old`: take out `removed`, then put in `added` by rising index.
    static func difference(
        from old: [Id<Email>], to new: [Id<Email>]
    ) -> (removed: [Id<Email>], added: [EmailQueryChanges.Added]) {
        var removed: [Id<Email>] = []
        var added: [EmailQueryChanges.Added] = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(_, let id, _): removed.append(id)
            case .insert(let index, let id, _): added.append(.init(emailID: id, index: index))
            }
        }
        return (removed, added.sorted { $0.index < $1.index })
    }

    /// The query without what only chooses a piece of its result.
    private static func identity(of query: EmailQuery) -> EmailQuery {
        var query = query
        query.window = .position(0)
        query.limit = 0
        query.calculateTotal = false
        return query
    }
}
