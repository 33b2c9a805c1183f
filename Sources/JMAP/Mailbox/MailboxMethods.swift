import Kernel
import MailKernelAPI

extension Method {
    static let mailbox = [
        Method("Mailbox/get", .mail, MailboxMethods.get),
        Method("Mailbox/changes", .mail, MailboxMethods.changes),
        Method("Mailbox/query", .mail, MailboxMethods.query),
        Method("Mailbox/queryChanges", .mail, MailboxMethods.queryChanges),
        Method("Mailbox/set", .mail, MailboxMethods.set),
    ]
}

/// RFC 8621, section 2.
enum MailboxMethods {
    static let maxNameBytes = 490

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.mailbox.properties)
        try arguments.finish()
        let state = try await context.state(of: .mailbox, in: account.id)
        let mailboxes = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(asked.ids.map { $0.map { Id($0) } }, in: account.id)
        }
        return try asked.answer(
            in: account.id, state: state.rawValue, mailboxes.map { ($0.mailbox.id.rawValue, $0.json) })
    }

    @Sendable static func changes(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        var (answer, changes) = try await context.changes(
            of: .mailbox, in: account.id, named: account.id, &arguments)
        answer["updatedProperties"] =
            changes.onlyCounts
            ? ["totalEmails", "unreadEmails", "totalThreads", "unreadThreads"] : .null
        return answer
    }

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let query = try MailboxQuery(&arguments, context)
        let window = try QueryWindow(&arguments, maxLimit: 10_000)
        try arguments.finish()
        let state = try await context.state(of: .mailbox, in: account.id)
        let mailboxes = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(nil, in: account.id).map(\.mailbox)
        }
        return try window.answer(
            in: account.id, ids: query.result(of: mailboxes).map(\.id.rawValue), queryState: state.rawValue)
    }

    /// The lists are short: asking anew is the better answer.
    @Sendable static func queryChanges(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let query = try MailboxQuery(&arguments, context)
        let asked = try QueryChangesArguments(&arguments)
        let state = try await context.state(of: .mailbox, in: account.id)
        let mailboxes = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(nil, in: account.id).map(\.mailbox)
        }
        return try asked.unchangedOnly(
            in: account.id, state: state.rawValue, total: query.result(of: mailboxes).count)
    }
}

/// The filter and the order of `Mailbox/query`.
struct MailboxQuery {
    private indirect enum Filter {
        case all([Filter])
        case any([Filter])
        case none([Filter])
        case parent(Id<Mailbox>?)
        case name(String)
        case role(String?)
        case hasAnyRole(Bool)
        case isSubscribed(Bool)
    }

    private var filter: Filter = .all([])
    private var sort: [(property: String, isAscending: Bool)] = []
    private var sortAsTree = false
    private var filterAsTree = false

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        if let object = try arguments.object("filter") { filter = try Self.filter(object, context, depth: 0) }
        for element in try arguments.array("sort") ?? [] {
            var comparator = Arguments(element.objectValue ?? [:])
            let property = try comparator.required(try comparator.string("property"), "property")
            guard ["sortOrder", "name", "parent/name"].contains(property) else {
                throw MethodError(
                    "unsupportedSort", "Mailboxes cannot be sorted by “\(property.prefix(60))”.")
            }
            sort.append((property, try comparator.bool("isAscending", default: true)))
            // Clients put more into a comparator than it has; that means nothing.
        }
        sortAsTree = try arguments.bool("sortAsTree")
        filterAsTree = try arguments.bool("filterAsTree")
    }

    private static func filter(
        _ object: [String: JSONValue], _ context: RequestContext, depth: Int
    ) throws(MethodError) -> Filter {
        guard depth < 32 else { throw MethodError("unsupportedFilter", "The filter is nested too deeply.") }
        var arguments = Arguments(object)
        if let name = try arguments.string("operator") {
            var inner: [Filter] = []
            for condition in try arguments.array("conditions") ?? [] {
                guard let object = condition.objectValue else {
                    throw .invalidArguments("filter", "has to hold objects in “conditions”")
                }
                inner.append(try Self.filter(object, context, depth: depth + 1))
            }
            try arguments.finish()
            switch name {
            case "AND": return .all(inner)
            case "OR": return .any(inner)
            case "NOT": return .none(inner)
            default: throw .invalidArguments("filter", "has an operator that is not AND, OR or NOT")
            }
        }
        var conditions: [Filter] = []
        if arguments.has("parentId") {
            let id = try arguments.string("parentId").map { context.resolved($0) ?? $0 }
            conditions.append(.parent(id.map { Id($0) }))
        }
        if let name = try arguments.string("name") { conditions.append(.name(name.lowercased())) }
        if arguments.has("role") { conditions.append(.role(try arguments.string("role"))) }
        if arguments.has("hasAnyRole") { conditions.append(.hasAnyRole(try arguments.bool("hasAnyRole"))) }
        if arguments.has("isSubscribed") {
            conditions.append(.isSubscribed(try arguments.bool("isSubscribed")))
        }
        do {
            try arguments.finish()
        } catch {
            throw MethodError("unsupportedFilter", error.description)
        }
        return .all(conditions)
    }

    func result(of mailboxes: [Mailbox]) -> [Mailbox] {
        let byID = Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first }
        let sorted = mailboxes.sorted { isBefore($0, $1, byID) }
        var matching = Set(sorted.filter { Self.matches($0, filter) }.map(\.id))
        if filterAsTree {
            matching = matching.filter { id in
                Self.ancestors(of: id, byID).allSatisfy { matching.contains($0) }
            }
        }
        let ordered = sortAsTree ? Self.asTree(sorted) : sorted
        return ordered.filter { matching.contains($0.id) }
    }

    private static func matches(_ mailbox: Mailbox, _ filter: Filter) -> Bool {
        switch filter {
        case .all(let filters): filters.allSatisfy { matches(mailbox, $0) }
        case .any(let filters): filters.contains { matches(mailbox, $0) }
        case .none(let filters): !filters.contains { matches(mailbox, $0) }
        case .parent(let id): mailbox.parentID == id
        case .name(let name): mailbox.name.lowercased().contains(name)
        case .role(let role): mailbox.role?.rawValue == role
        case .hasAnyRole(let hasRole): (mailbox.role != nil) == hasRole
        case .isSubscribed(let isSubscribed): mailbox.isSubscribed == isSubscribed
        }
    }

    private func isBefore(_ one: Mailbox, _ other: Mailbox, _ byID: [Id<Mailbox>: Mailbox]) -> Bool {
        for (property, isAscending) in sort {
            let order: Int
            switch property {
            case "sortOrder":
                order = one.sortOrder < other.sortOrder ? -1 : one.sortOrder > other.sortOrder ? 1 : 0
            case "name": order = Self.compare(one.name, other.name)
            default:
                order = Self.compare(
                    one.parentID.flatMap { byID[$0]?.name } ?? "",
                    other.parentID.flatMap { byID[$0]?.name } ?? "")
            }
            if order != 0 { return (order < 0) == isAscending }
        }
        return one.id < other.id
    }

    private static func compare(_ one: String, _ other: String) -> Int {
        let (one, other) = (one.lowercased(), other.lowercased())
        return one < other ? -1 : one > other ? 1 : 0
    }

    private static func ancestors(of id: Id<Mailbox>, _ byID: [Id<Mailbox>: Mailbox]) -> [Id<Mailbox>] {
        var found: [Id<Mailbox>] = []
        var next = byID[id]?.parentID
        while let parent = next, !found.contains(parent) {
            found.append(parent)
            next = byID[parent]?.parentID
        }
        return found
    }

    private static func asTree(_ sorted: [Mailbox]) -> [Mailbox] {
        let children = Dictionary(grouping: sorted, by: \.parentID)
        var result: [Mailbox] = []
        var open = Array((children[nil] ?? []).reversed())
        while let mailbox = open.popLast() {
            result.append(mailbox)
            open += (children[mailbox.id] ?? []).reversed()
        }
        return result
    }
}
