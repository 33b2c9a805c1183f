import MailKernelAPI

/// The last changes of one type of one account.
struct ChangeHistory: Sendable {
    enum Kind {
        case created, updated, destroyed
    }

    struct Entry {
        var number: Int
        var id: String
        var kind: Kind
        /// Of a mailbox: nothing but its counts.
        var onlyCounts = false
    }

    static let limit = 10_000

    private var entries: [Entry] = []
    /// The oldest state that can be asked from.
    private var oldest: Int

    init(startingAt number: Int) {
        oldest = number
    }

    var current: Int { entries.last?.number ?? oldest }

    mutating func append(_ new: [Entry]) {
        entries += new
        let surplus = entries.count - Self.limit
        guard surplus > 0 else { return }
        oldest = entries[surplus - 1].number
        entries.removeFirst(surplus)
    }

    /// What happened after `number`, told as far as `limit` ids go: the numbers behind states are of
    /// single changes, so the telling can stop anywhere, also in the middle of a commit.
    func changes(since number: Int, limit: Int, state: (Int) -> State) throws(StorageError) -> Changes {
        guard number >= oldest, number <= current else { throw .cannotCalculateChanges }
        var told: [String: (first: Kind, last: Kind, onlyCounts: Bool)] = [:]
        var order: [String] = []
        var reached = number
        for entry in entries[index(after: number)...] {
            if let known = told[entry.id] {
                told[entry.id] = (known.first, entry.kind, known.onlyCounts && entry.onlyCounts)
            } else {
                guard order.count < limit else { break }
                told[entry.id] = (entry.kind, entry.kind, entry.onlyCounts)
                order.append(entry.id)
            }
            reached = entry.number
        }
        var answer = Changes(newState: state(reached), hasMoreChanges: reached < current)
        for id in order {
            switch (told[id]?.first, told[id]?.last) {
            case (.created, .destroyed): break
            case (.created, _): answer.created.append(id)
            case (_, .destroyed): answer.destroyed.append(id)
            default: answer.updated.append(id)
            }
        }
        answer.onlyCounts =
            !answer.updated.isEmpty && answer.created.isEmpty && answer.destroyed.isEmpty
            && answer.updated.allSatisfy { told[$0]?.onlyCounts ?? false }
        return answer
    }

    private func index(after number: Int) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
