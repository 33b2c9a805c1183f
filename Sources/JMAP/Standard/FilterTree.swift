import MailKernelAPI

/// A filter of a query: conditions, joined by AND, OR and NOT (RFC 8620, section 5.5).
indirect enum FilterTree<Condition: Sendable>: Sendable {
    case all([FilterTree])
    case any([FilterTree])
    case none([FilterTree])
    case condition(Condition)

    /// Deeper than any person or program asks.
    private static var maxDepth: Int { 32 }

    /// Reads a filter. `conditions` reads an object without an operator; unread properties are rejected.
    static func read(
        _ object: [String: JSONValue], depth: Int = 0,
        conditions: (inout Arguments) throws(MethodError) -> [Condition]
    ) throws(MethodError) -> FilterTree {
        guard depth < maxDepth else {
            throw MethodError("unsupportedFilter", "The filter is nested more than \(maxDepth) levels deep.")
        }
        var arguments = Arguments(object)
        guard arguments.has("operator") else {
            let read = try conditions(&arguments)
            do {
                try arguments.finish()
            } catch {
                throw MethodError("unsupportedFilter", error.description)
            }
            return read.count == 1 ? .condition(read[0]) : .all(read.map { .condition($0) })
        }
        let name = try arguments.string("operator")
        var inner: [FilterTree] = []
        for element in try arguments.required(try arguments.array("conditions"), "conditions") {
            guard let object = element.objectValue else {
                throw .invalidArguments("filter", "must contain objects in “conditions”")
            }
            inner.append(try read(object, depth: depth + 1, conditions: conditions))
        }
        try arguments.finish()
        switch name {
        case "AND": return .all(inner)
        case "OR": return .any(inner)
        case "NOT": return .none(inner)
        default: throw .invalidArguments("filter", "contains an operator other than AND, OR and NOT")
        }
    }

    /// Whether something passes, where `isMet` says it of one condition.
    func matches(_ isMet: (Condition) -> Bool) -> Bool {
        switch self {
        case .all(let trees): trees.allSatisfy { $0.matches(isMet) }
        case .any(let trees): trees.contains { $0.matches(isMet) }
        case .none(let trees): !trees.contains { $0.matches(isMet) }
        case .condition(let condition): isMet(condition)
        }
    }
}

/// What a query sorts by: a property, and in which direction.
struct Comparator {
    static let collations = ["i;unicode-casemap"]

    let property: String
    let isAscending: Bool

    /// Reads the `sort` of a query whose records can be sorted by these properties.
    static func read(
        _ arguments: inout Arguments, _ properties: [String], of records: String
    ) throws(MethodError) -> [Comparator] {
        var sort: [Comparator] = []
        for element in try arguments.array("sort") ?? [] {
            guard let object = element.objectValue else {
                throw .invalidArguments("sort", "must be an array of objects")
            }
            var comparator = Arguments(object)
            let property = try comparator.required(try comparator.name("property"), "property")
            guard properties.contains(property) else {
                throw MethodError(
                    "unsupportedSort", "\(records) cannot be sorted by “\(property.prefix(60))”.")
            }
            if let collation = try comparator.string("collation"), !collations.contains(collation) {
                throw MethodError(
                    "unsupportedSort", "The collation “\(collation.prefix(60))” is not supported.")
            }
            // Clients put more into a comparator than it has; that means nothing.
            let isAscending = try comparator.bool("isAscending", default: true)
            sort.append(Comparator(property: property, isAscending: isAscending))
        }
        return sort
    }
}
