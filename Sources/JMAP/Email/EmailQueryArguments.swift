import Kernel
import Mail
import MailKernelAPI

/// The arguments of `Email/query` that say what the result is (RFC 8621, section 4.4).
struct EmailQueryArguments {
    static let sortOptions = [
        "receivedAt", "sentAt", "size", "from", "to", "subject", "hasKeyword", "allInThreadHaveKeyword",
        "someInThreadHaveKeyword", "relevance",
    ]

    var query: EmailQuery
    /// The filter, if it has more than the store can answer.
    private(set) var exact: MailFilter?

    init(
        _ arguments: inout Arguments, _ context: RequestContext, in accountID: Id<Account>
    ) async throws(MethodError) {
        query = EmailQuery(in: [accountID])
        if let object = try arguments.object("filter") {
            let filter = try await EmailFilterReader.read(object, context, in: accountID)
            query.filter = filter.stored(passing: Set(filter.tests))
            exact = filter.tests.isEmpty ? nil : filter
        }
        for element in try arguments.array("sort") ?? [] {
            guard let object = element.objectValue else {
                throw .invalidArguments("sort", "must be an array of objects")
            }
            query.sort.append(try Self.sort(object))
        }
        query.collapseThreads = try arguments.bool("collapseThreads")
    }

    private static func sort(_ object: [String: JSONValue]) throws(MethodError) -> EmailSort {
        var arguments = Arguments(object)
        let name = try arguments.required(try arguments.name("property"), "property")
        let isAscending = try arguments.bool("isAscending", default: true)
        let keyword = try arguments.name("keyword").map { Keyword($0) }
        if let collation = try arguments.string("collation"), !Comparator.collations.contains(collation) {
            throw MethodError("unsupportedSort", "The collation “\(collation.prefix(60))” is not supported.")
        }
        // Clients put more into a comparator than it has; that means nothing.
        let property: EmailSort.Property
        switch name {
        case "receivedAt": property = .receivedAt
        case "sentAt": property = .sentAt
        case "size": property = .size
        case "from": property = .from
        case "to": property = .to
        case "subject": property = .subject
        case "hasKeyword": property = .hasKeyword(try arguments.required(keyword, "keyword"))
        case "allInThreadHaveKeyword":
            property = .allInThreadHaveKeyword(try arguments.required(keyword, "keyword"))
        case "someInThreadHaveKeyword":
            property = .someInThreadHaveKeyword(try arguments.required(keyword, "keyword"))
        case "relevance": property = .relevance
        default: throw MethodError("unsupportedSort", "Emails cannot be sorted by “\(name.prefix(60))”.")
        }
        return EmailSort(property, isAscending: isAscending)
    }
}
