public import MailKernelAPI

/// One query being answered, over all of its accounts.
public struct QueryRun<Plan: AccountQuery> {
    private let query: EmailQuery
    private let plans: [Plan]
    private let limit: Int

    /// - Parameter plans: one for each account of the query that exists, in the order of their ids.
    public init(_ query: EmailQuery, _ plans: [Plan]) {
        self.query = query
        self.plans = plans
        limit = max(0, query.limit)
    }

    /// The answer to the query.
    ///
    /// - Parameter state: the state of the result.
    public func result(_ state: State) throws(StorageError) -> EmailQueryResult {
        // Only the first property decides where the date comes first and is never equal but by chance;
        // with others behind it, the general way is the one that is right.
        // Words lead to emails in no order, and then threads are better collapsed once they are sorted.
        let isByDate =
            (query.sort.isEmpty || query.sort.first?.property == .receivedAt) && query.sort.count < 2
            && !(query.collapseThreads && plans.contains(where: \.isLedByWords))
        var result = isByDate ? try resultByDate(state) : try resultByAnything(state)
        if query.calculateTotal, result.total == nil { result.total = try total() }
        return result
    }

    private func total() throws(StorageError) -> Int {
        var total = 0
        for plan in plans { total += try plan.count(nil) }
        return total
    }
}

// MARK: In the order of the date

/// Every page costs the same, wherever it is: an index leads to the anchor and from there on.
extension QueryRun {
    private func resultByDate(_ state: State) throws(StorageError) -> EmailQueryResult {
        switch query.window {
        case .position(let position):
            let start = position < 0 ? max(0, (try total()) + max(position, -Int(Int32.max))) : position
            return try fromPosition(start, state)
        case .anchor(let id, let offset): return try fromAnchor(id, offset, state)
        }
    }

    private func fromPosition(_ start: Int, _ state: State) throws(StorageError) -> EmailQueryResult {
        if plans.count == 1 {
            let hits = try plans[0].byDate(nil, limit: limit, offset: start)
            return answer(hits, position: start, state)
        }
        let hits = try merged(nil, count: Self.sum(start, limit))
        return answer(hits.dropFirst(start).prefix(limit), position: start, state)
    }

    private func fromAnchor(_ id: Id<Email>, _ offset: Int, _ state: State) throws(StorageError)
        -> EmailQueryResult
    {
        var places: [QueryPlace] = []
        for plan in plans {
            if let place = try plan.place(of: id) { places.append(place) }
        }
        let isAscending = query.sort.first?.isAscending ?? false
        // The same id in two accounts: the one that the list shows first.
        let place = places.min { one, other in
            one.received == other.received
                ? one.accountID < other.accountID : (one.received < other.received) == isAscending
        }
        guard let place else { throw .anchorNotFound }
        var hits: [QueryHit] = []
        if offset < 0 {
            hits = try merged(.before(place), count: offset == .min ? .max : -offset).reversed()
        }
        if hits.count < limit || offset >= 0 {
            let skipped = max(0, offset)
            hits += try merged(.fromOn(place), count: Self.sum(skipped, limit)).dropFirst(skipped)
        }
        var position: Int?
        if query.calculateTotal {
            var before = 0
            for plan in plans { before += try plan.count(.before(place)) }
            position = max(0, Self.sum(before, offset))
        }
        return answer(hits.prefix(limit), position: position, state)
    }

    /// The nearest of all accounts on one side of a place, or from the beginning.
    private func merged(_ side: QuerySide?, count: Int) throws(StorageError) -> [QueryHit] {
        var lists: [[QueryHit]] = []
        for plan in plans { lists.append(try plan.byDate(side, limit: count, offset: 0)) }
        guard lists.count > 1 else { return lists.first ?? [] }
        var isReversed = false
        if case .before = side { isReversed = true }
        let merged = QueryHit.merge(lists, by: query.sort)
        return Array(isReversed ? merged.reversed()[...].prefix(count) : merged[...].prefix(count))
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }

    private func answer(
        _ hits: some Sequence<QueryHit>, position: Int?, _ state: State
    ) -> EmailQueryResult {
        EmailQueryResult(hits: hits.map(\.hit), position: position, total: nil, queryState: state)
    }
}

// MARK: In any other order

extension QueryRun {
    private func resultByAnything(_ state: State) throws(StorageError) -> EmailQueryResult {
        let all = try hits()
        var start = 0
        switch query.window {
        case .position(let position):
            start = position < 0 ? max(0, all.count + max(position, -all.count)) : position
        case .anchor(let id, let offset):
            guard let anchor = all.firstIndex(where: { $0.emailID == id }) else { throw .anchorNotFound }
            // The offset is arbitrary: prevent overflow.
            start = max(0, anchor + max(-all.count, min(all.count, offset)))
        }
        var result = answer(all.dropFirst(start).prefix(limit), position: start, state)
        if query.calculateTotal { result.total = all.count }
        return result
    }

    /// The whole result, or as much of it as the window needs.
    private func hits() throws(StorageError) -> [QueryHit] {
        var enough = Int.max
        if case .position(let position) = query.window, position >= 0, !query.calculateTotal {
            enough = Self.sum(position, limit)
        }
        var lists: [[QueryHit]] = []
        for plan in plans {
            var list: [QueryHit] = []
            var threads: Set<Id<EmailThread>> = []
            // With collapsed threads, the number of emails to read is unknown.
            try plan.each(limit: query.collapseThreads ? .max : enough) { hit in
                guard list.count < enough else { return false }
                if !query.collapseThreads || threads.insert(hit.threadID).inserted { list.append(hit) }
                return list.count < enough
            }
            lists.append(list)
        }
        return QueryHit.merge(lists, by: query.sort)
    }
}
