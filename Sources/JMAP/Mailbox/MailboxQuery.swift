import Kernel
import MailKernelAPI

/// The filter and the order of `Mailbox/query`.
struct MailboxQuery {
    private enum MailboxCondition {
        case parent(Id<Mailbox>?)
        case name(String)
        case role(String?)
        case hasAnyRole(Bool)
        case isSubscribed(Bool)
    }

    private let filter: FilterTree<MailboxCondition>
    private let sort: [Comparator]
    private let sortAsTree: Bool
    private let filterAsTree: Bool

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        filter = try .read(try arguments.object("filter") ?? [:]) { arguments throws(MethodError) in
            try Self.conditions(&arguments, context)
        }
        sort = try Comparator.read(&arguments, ["sortOrder", "name", "parent/name"], of: "Mailboxes")
        sortAsTree = try arguments.bool("sortAsTree")
        filterAsTree = try arguments.bool("filterAsTree")
    }

    private static func conditions(
        _ arguments: inout Arguments, _ context: RequestContext
    ) throws(MethodError) -> [MailboxCondition] {
        var conditions: [MailboxCondition] = []
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
        return conditions
    }

    func result(of mailboxes: [Mailbox]) -> [Mailbox] {
        let roles = mailboxes.roles
        let byID = Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first }
        let sorted = mailboxes.sorted { isBefore($0, $1, byID) }
        var matching = Set(
            sorted.filter { mailbox in filter.matches { Self.isMet($0, by: mailbox, roles[mailbox.id]) } }
                .map(\.id))
        if filterAsTree {
            matching = matching.filter { id in
                Self.ancestors(of: id, byID).allSatisfy { matching.contains($0) }
            }
        }
        let ordered = sortAsTree ? Self.asTree(sorted) : sorted
        return ordered.filter { matching.contains($0.id) }
    }

    private static func isMet(
        _ condition: MailboxCondition, by mailbox: Mailbox, _ itsRole: String?
    ) -> Bool {
        switch condition {
        case .parent(let id): mailbox.parentID == id
        case .name(let name): mailbox.name.lowercased().contains(name)
        case .role(let role): itsRole == role
        case .hasAnyRole(let hasRole): (itsRole != nil) == hasRole
        case .isSubscribed(let isSubscribed): mailbox.isSubscribed == isSubscribed
        }
    }

    private func isBefore(_ one: Mailbox, _ other: Mailbox, _ byID: [Id<Mailbox>: Mailbox]) -> Bool {
        for comparator in sort {
            let order: Int
            switch comparator.property {
            case "sortOrder":
                order = one.sortOrder < other.sortOrder ? -1 : one.sortOrder > other.sortOrder ? 1 : 0
            case "name": order = Self.compare(one.name, other.name)
            default:
                order = Self.compare(
                    one.parentID.flatMap { byID[$0]?.name } ?? "",
                    other.parentID.flatMap { byID[$0]?.name } ?? "")
            }
            if order != 0 { return (order < 0) == comparator.isAscending }
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
