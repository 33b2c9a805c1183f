public import MailKernelAPI

extension EmailFilter {
    private static let maximumDepth = 64
    private static let maximumConditions = 5_000

    /// Rejects implausible filters: they come from clients, and thousands of levels would cause deep
    /// recursion.
    ///
    /// - Throws: `.invalid` for a filter beyond the limits that `EmailFilter` names.
    public func checkSize() throws(StorageError) {
        var level = parts
        var (depth, conditions) = (0, 1)
        while !level.isEmpty {
            depth += 1
            conditions += level.count
            guard depth <= Self.maximumDepth else {
                throw .invalid(reason: "a filter is nested deeper than \(Self.maximumDepth) levels")
            }
            guard conditions <= Self.maximumConditions else {
                throw .invalid(reason: "a filter has more than \(Self.maximumConditions) conditions")
            }
            level = level.flatMap(\.parts)
        }
    }

    private var parts: [EmailFilter] {
        switch self {
        case .and(let filters), .or(let filters), .not(let filters): filters
        default: []
        }
    }
}
