import Kernel
import Mail
import MailKernelAPI

/// Reads the filter of `Email/query` and `SearchSnippet/get` (RFC 8621, section 4.4.1).
struct EmailFilterReader {
    let context: RequestContext
    /// What a search in the user's words may name; nil if the filter has none.
    private let places: SearchPlaces?

    /// Reads a filter for the emails of an account.
    static func read(
        _ object: [String: JSONValue], _ context: RequestContext, in accountID: Id<Account>
    ) async throws(MethodError) -> MailFilter {
        let places = hasSearch(object) ? try await context.searchPlaces(of: accountID) : nil
        return try EmailFilterReader(context: context, places: places).read(object)
    }

    /// Deeper ones are refused later.
    private static func hasSearch(_ object: [String: JSONValue], depth: Int = 0) -> Bool {
        guard object["search"] == nil else { return true }
        guard depth < 40, let inner = object["conditions"]?.arrayValue else { return false }
        return inner.contains { hasSearch($0.objectValue ?? [:], depth: depth + 1) }
    }

    /// As many as a store must be able to search for at once.
    private static let maxConditions = 5000
    /// Headers are not indexed: each condition reads those of every message.
    private static let maxHeaderConditions = 100

    private func read(_ object: [String: JSONValue]) throws(MethodError) -> MailFilter {
        var (count, headers) = (0, 0)
        let tree = try FilterTree<MailFilter>.read(object) { arguments throws(MethodError) in
            var conditions: [MailFilter] = []
            for key in arguments.names {
                guard arguments.value(key) != nil else {
                    // Nothing is asked for, but it has to be something that can be.
                    guard Self.known.contains(key) else { throw Self.unsupported(key) }
                    continue
                }
                conditions.append(try anyCondition(key, &arguments))
            }
            headers += conditions.reduce(0) { $0 + $1.headerConditions }
            guard headers <= Self.maxHeaderConditions else {
                throw MethodError(
                    "unsupportedFilter",
                    "The filter has more than \(Self.maxHeaderConditions) “header” conditions.")
            }
            count += max(1, conditions.reduce(0) { $0 + $1.conditions })
            guard count <= Self.maxConditions else {
                throw MethodError(
                    "unsupportedFilter", "The filter has more than \(Self.maxConditions) conditions.")
            }
            return conditions
        }
        return Self.filter(tree)
    }

    private static func filter(_ tree: FilterTree<MailFilter>) -> MailFilter {
        switch tree {
        case .all(let trees): .all(trees.map(filter))
        case .any(let trees): .any(trees.map(filter))
        case .none(let trees): .none(trees.map(filter))
        case .condition(let condition): condition
        }
    }

    private func anyCondition(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> MailFilter {
        guard key == "search" else { return .stored(try condition(key, &arguments)) }
        let search = SearchText(try text(key, &arguments), at: context.kernel.clock.now)
        if let problem = search.problem { throw MethodError("unsupportedFilter", problem) }
        return search.condition.filter(in: places ?? SearchPlaces(mailboxes: [], addresses: []))
    }

    private func condition(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> EmailFilter {
        switch key {
        case "inMailbox": return .inMailbox(mailbox(try text(key, &arguments)))
        case "inMailboxOtherThan":
            return .inMailboxOtherThan((try arguments.strings(key) ?? []).map(mailbox))
        case "before":
            return .before(try arguments.required(try arguments.date(key), key))
        case "after":
            return .after(try arguments.required(try arguments.date(key), key))
        case "minSize": return .minSize(try arguments.unsignedInt(key) ?? 0)
        case "maxSize": return .maxSize(try arguments.unsignedInt(key) ?? 0)
        case "hasKeyword": return .hasKeyword(try keyword(key, &arguments))
        case "notKeyword": return .notKeyword(try keyword(key, &arguments))
        case "allInThreadHaveKeyword": return .allInThreadHaveKeyword(try keyword(key, &arguments))
        case "someInThreadHaveKeyword": return .someInThreadHaveKeyword(try keyword(key, &arguments))
        case "noneInThreadHaveKeyword": return .noneInThreadHaveKeyword(try keyword(key, &arguments))
        case "hasAttachment": return .hasAttachment(try arguments.bool(key))
        case "text": return .text(try text(key, &arguments))
        case "from": return .from(try text(key, &arguments))
        case "to": return .to(try text(key, &arguments))
        case "cc": return .cc(try text(key, &arguments))
        case "bcc": return .bcc(try text(key, &arguments))
        case "subject": return .subject(try text(key, &arguments))
        case "body": return .body(try text(key, &arguments))
        case "header": return try header(&arguments)
        case "category", "inRole": return try vendor(key, &arguments)
        default: throw Self.unsupported(key)
        }
    }

    private static let known: Set<String> = [
        "inMailbox", "inMailboxOtherThan", "before", "after", "minSize", "maxSize", "hasKeyword",
        "notKeyword",
        "allInThreadHaveKeyword", "someInThreadHaveKeyword", "noneInThreadHaveKeyword", "hasAttachment",
        "text",
        "from", "to", "cc", "bcc", "subject", "body", "header", "category", "inRole", "search",
    ]

    private static func unsupported(_ key: String) -> MethodError {
        MethodError("unsupportedFilter", "Emails cannot be filtered by “\(key.prefix(60))”.")
    }

    private func text(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> String {
        try arguments.string(key) ?? ""
    }

    private func mailbox(_ id: String) -> Id<Mailbox> { Id(context.resolved(id) ?? id) }

    private func keyword(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> Keyword {
        Keyword(ExactName.of(try text(key, &arguments)))
    }

    private func header(_ arguments: inout Arguments) throws(MethodError) -> EmailFilter {
        let parts = try arguments.strings("header") ?? []
        guard (1...2).contains(parts.count) else {
            throw .invalidArguments("header", "must be a field's name, and perhaps a text that it contains")
        }
        return .header(name: ExactName.of(parts[0]), value: parts.count > 1 ? parts[1] : nil)
    }

    /// Vendor filters, for a unified inbox and its tabs.
    private func vendor(_ key: String, _ arguments: inout Arguments) throws(MethodError) -> EmailFilter {
        let name = try text(key, &arguments)
        if key == "category", let category = EmailCategory(rawValue: name) { return .category(category) }
        if key == "inRole", let role = Mailbox.Role(rawValue: name) { return .inRole(role) }
        throw .invalidArguments(key, "must not be “\(name.prefix(60))”")
    }
}

extension MailFilter {
    /// The conditions in it.
    fileprivate var conditions: Int {
        switch self {
        case .all(let filters), .any(let filters), .none(let filters):
            filters.reduce(0) { $0 + $1.conditions }
        case .stored(.and(let filters)), .stored(.or(let filters)): filters.count
        case .stored, .attachment: 1
        }
    }

    fileprivate var headerConditions: Int {
        switch self {
        case .all(let filters), .any(let filters), .none(let filters):
            filters.reduce(0) { $0 + $1.headerConditions }
        case .stored(.header): 1
        case .stored(.or(let filters)): filters.count { if case .header = $0 { true } else { false } }
        case .stored, .attachment: 0
        }
    }
}

extension RequestContext {
    /// The folders and addresses that a search in the user's words may name.
    func searchPlaces(of accountID: Id<Account>) async throws(MethodError) -> SearchPlaces {
        let (mailboxes, addresses) = try await reading { store throws(StorageError) in
            (
                try await store.mailboxes(nil, in: accountID).map(\.mailbox),
                try await store.identities(nil, in: accountID).map(\.email)
            )
        }
        return SearchPlaces(mailboxes: mailboxes, addresses: addresses)
    }

    /// All hits of a query whose filter tests attachments.
    func hits(
        of query: EmailQuery, _ filter: MailFilter
    ) async throws(MethodError) -> [EmailQueryResult.Hit] {
        do {
            return try await kernel.attachments.hits(of: query, filter)
        } catch {
            switch error {
            case .store(let error): throw MethodError(error)
            case .refused(let sentence): throw MethodError("unsupportedFilter", sentence)
            }
        }
    }
}
