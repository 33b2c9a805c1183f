import Kernel
import MailKernelAPI

enum EmailQueryMethods {
    private static let maxLimit = 5000

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asks = try await EmailQueryArguments(&arguments, context, in: account.id)
        var query = asks.query
        let window = try QueryWindow(&arguments, maxLimit: maxLimit)
        try arguments.finish()
        query.limit = window.limit
        // A client that queries a mailbox wants its current content.
        if query.filter?.namesMailbox == true { await context.kernel.accounts.opened(account.id) }
        if let anchor = window.anchor {
            query.window = .anchor(Id(context.resolved(anchor) ?? anchor), offset: window.anchorOffset)
        } else {
            query.window = .position(window.position)
        }
        // JMAP requires the position of an anchor, which is only known if results are counted.
        query.calculateTotal = window.calculateTotal || window.anchor != nil || window.position < 0
        let state = try await EmailQueryState(context, account.id)
        let asked = query
        if let exact = asks.exact {
            let hits = try await context.hits(of: asked, exact)
            return try window.answer(
                in: account.id, ids: hits.map(\.emailID.rawValue), queryState: state.text)
        }
        let search = context.kernel.intelligence.search
        let meant = try await context.reading { _ throws(StorageError) in try await search.hits(of: asked) }
        if let meant {
            return try window.answer(
                in: account.id, ids: meant.map(\.emailID.rawValue), queryState: state.text)
        }
        let result = try await context.reading { store throws(StorageError) in
            try await store.queryEmails(asked)
        }
        return window.answer(
            in: account.id, ids: result.hits.map(\.emailID.rawValue),
            position: result.position ?? window.position, total: result.total, queryState: state.text,
            canCalculateChanges: query.filter?.isFollowable ?? true)
    }

    @Sendable static func queryChanges(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asks = try await EmailQueryArguments(&arguments, context, in: account.id)
        let query = asks.query
        let asked = try QueryChangesArguments(&arguments)
        let isByMeaning = await context.kernel.intelligence.search.applies(to: query)
        guard query.filter?.isFollowable ?? true, asks.exact == nil, !isByMeaning,
            let since = EmailQueryState(asked.since)
        else {
            throw .cannotCalculateChanges
        }
        let now = try await EmailQueryState(context, account.id)
        let difference = try await QueryDifference(context, account.id, query, since: since)
        guard difference.removed.count + difference.added.count <= asked.maxChanges ?? .max else {
            throw MethodError("tooManyChanges", "There are more changes than requested.")
        }
        var answer: [String: JSONValue] = [
            "accountId": .string(account.id.rawValue),
            "oldQueryState": .string(asked.since),
            "newQueryState": .string(now.text),
            "removed": .array(difference.removed.map { .string($0.rawValue) }),
            "added": .array(
                difference.added.map {
                    ["id": .string($0.emailID.rawValue), "index": .number(Double($0.index))]
                }),
        ]
        if asked.calculateTotal {
            var counting = query
            (counting.limit, counting.calculateTotal) = (1, true)
            let wanted = counting
            let total = try await context.reading { store throws(StorageError) in
                try await store.queryEmails(wanted).total
            }
            answer["total"] = .number(Double(total ?? 0))
        }
        return answer
    }
}

extension EmailFilter {
    fileprivate var namesMailbox: Bool {
        switch self {
        case .inMailbox: true
        case .and(let all): all.contains { $0.namesMailbox }
        case .or, .not, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword,
            .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .hasAttachment,
            .text, .from, .to, .cc, .bcc, .subject, .body, .header, .category, .inRole:
            false
        }
    }
}

/// The state of a query: emails determine its content, threads how it collapses.
struct EmailQueryState {
    let emails: State
    let threads: State

    init(_ context: RequestContext, _ accountID: Id<Account>) async throws(MethodError) {
        emails = try await context.state(of: .email, in: accountID)
        threads = try await context.state(of: .thread, in: accountID)
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        emails = State(rawValue: String(parts[0]))
        threads = State(rawValue: String(parts[1]))
    }

    var text: String { "\(emails)/\(threads)" }
}

extension EmailFilter {
    /// Whether the states of emails and threads say when a result changes. Categories have none.
    var isFollowable: Bool {
        switch self {
        case .and(let filters), .or(let filters), .not(let filters): filters.allSatisfy(\.isFollowable)
        case .category, .inRole: false
        case .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword,
            .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .hasAttachment,
            .text, .from, .to, .cc, .bcc, .subject, .body, .header:
            true
        }
    }
}

/// The changes of a query's result (RFC 8620, section 5.6): any email whose place may have changed counts as
/// removed, and as added at its current place.
struct QueryDifference {
    /// Beyond this, a new query is cheaper for both sides.
    private static let limit = 100

    private(set) var removed: [Id<Email>] = []
    private(set) var added: [EmailQueryChanges.Added] = []

    init(
        _ context: RequestContext, _ accountID: Id<Account>, _ query: EmailQuery, since: EmailQueryState
    ) async throws(MethodError) {
        let emails = try await Self.changes(.email, since.emails, context, accountID)
        let threads = try await Self.changes(.thread, since.threads, context, accountID)
        guard !(emails.created + emails.updated + emails.destroyed + threads.updated).isEmpty else { return }
        let present = try await context.reading { store throws(StorageError) in
            // An email can stand for its whole thread, or be filtered by what else is in it.
            let changed = (emails.created + emails.updated).map { Id<Email>($0) }
            let ids =
                try await store.emails(changed, in: accountID).map(\.threadID)
                + (threads.created + threads.updated).map { Id<EmailThread>($0) }
            return try await store.threads(Array(Set(ids)), in: accountID).flatMap(\.emailIDs)
        }
        guard present.count <= Self.limit else { throw .cannotCalculateChanges }
        let affected = Set(present)
        // New ones as well: a client may have them from a more recent query.
        removed = affected.sorted() + emails.destroyed.map { Id($0) }
        for id in affected {
            guard let index = try await Self.index(of: id, query, context) else { continue }
            added.append(.init(emailID: id, index: index))
        }
        added.sort { $0.index < $1.index }
    }

    private static func changes(
        _ type: DataType, _ since: State, _ context: RequestContext, _ accountID: Id<Account>
    ) async throws(MethodError) -> Changes {
        let changes = try await context.reading { store throws(StorageError) in
            try await store.changes(of: type, in: accountID, since: since, limit: limit)
        }
        guard !changes.hasMoreChanges else { throw .cannotCalculateChanges }
        return changes
    }

    /// Where an email is in the result now; nil if it is not in it.
    private static func index(
        of id: Id<Email>, _ query: EmailQuery, _ context: RequestContext
    ) async throws(MethodError) -> Int? {
        var query = query
        query.window = .anchor(id, offset: 0)
        query.limit = 1
        query.calculateTotal = true
        let asked = query
        do {
            return try await context.reading { store throws(StorageError) in
                try await store.queryEmails(asked).position
            }
        } catch MethodError.anchorNotFound {
            return nil
        }
    }
}
