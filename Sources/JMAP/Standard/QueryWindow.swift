import MailKernelAPI

/// Which piece of a result a query returns (RFC 8620, section 5.5).
struct QueryWindow {
    let position: Int
    let anchor: String?
    let anchorOffset: Int
    let limit: Int
    /// The client asked for more than is ever returned, or for no limit.
    let isLimitOurs: Bool
    let calculateTotal: Bool

    init(_ arguments: inout Arguments, maxLimit: Int) throws(MethodError) {
        position = try arguments.int("position") ?? 0
        anchor = try arguments.name("anchor")
        anchorOffset = try arguments.int("anchorOffset") ?? 0
        let asked = try arguments.unsignedInt("limit")
        limit = min(asked ?? maxLimit, maxLimit)
        isLimitOurs = asked.map { $0 > maxLimit } ?? true
        calculateTotal = try arguments.bool("calculateTotal")
    }

    /// The answer where the whole result is in memory.
    func answer(
        in accountID: Id<Account>, ids: [String], queryState: String
    ) throws(MethodError) -> [String: JSONValue] {
        var start = position < 0 ? max(0, ids.count + position) : position
        if let anchor {
            guard let index = ids.firstIndex(of: anchor) else { throw .anchorNotFound }
            start = max(0, index.addingReportingOverflow(anchorOffset).partialValue)
        }
        let piece = start < ids.count ? Array(ids[start...].prefix(limit)) : []
        return answer(in: accountID, ids: piece, position: start, total: ids.count, queryState: queryState)
    }

    func answer(
        in accountID: Id<Account>, ids: [String], position: Int, total: Int?, queryState: String,
        canCalculateChanges: Bool = false
    ) -> [String: JSONValue] {
        var answer: [String: JSONValue] = [
            "accountId": .string(accountID.rawValue),
            "queryState": .string(queryState),
            "canCalculateChanges": .bool(canCalculateChanges),
            "position": .number(Double(position)),
            "ids": .array(ids.map { .string($0) }),
        ]
        if calculateTotal, let total { answer["total"] = .number(Double(total)) }
        if isLimitOurs { answer["limit"] = .number(Double(limit)) }
        return answer
    }
}

/// The arguments of `/queryChanges` (RFC 8620, section 5.6) besides filter and sort.
struct QueryChangesArguments {
    let since: String
    let maxChanges: Int?
    let calculateTotal: Bool

    init(_ arguments: inout Arguments) throws(MethodError) {
        since = try arguments.required(try arguments.name("sinceQueryState"), "sinceQueryState")
        maxChanges = try arguments.unsignedInt("maxChanges")
        // All changes are returned, so nothing can be omitted after this id.
        _ = try arguments.string("upToId")
        calculateTotal = try arguments.bool("calculateTotal")
        try arguments.finish()
    }

    /// For results without change tracking: either nothing has changed, or the client queries again.
    func unchangedOnly(
        in accountID: Id<Account>, state: String, total: Int
    ) throws(MethodError) -> [String: JSONValue] {
        guard since == state else { throw .cannotCalculateChanges }
        var answer: [String: JSONValue] = [
            "accountId": .string(accountID.rawValue), "oldQueryState": .string(since),
            "newQueryState": .string(state), "removed": [], "added": [],
        ]
        if calculateTotal { answer["total"] = .number(Double(total)) }
        return answer
    }
}
