public import MailKernelAPI

/// A filter with negation at its leaves only, and no group within a group of the same kind, ready to be compiled.
public indirect enum FilterTree {
    /// All of these match; an empty list matches every email.
    case all([FilterTree])
    /// At least one of these matches; an empty list matches no email.
    case any([FilterTree])
    /// A single condition, which must hold or must not.
    case leaf(EmailFilter, isWanted: Bool)

    /// - Parameter isWanted: whether the filter must match or must not.
    public init(_ filter: EmailFilter, isWanted: Bool = true) {
        switch filter {
        case .and(let filters): self = .group(filters, isAll: isWanted, isWanted)
        case .or(let filters): self = .group(filters, isAll: !isWanted, isWanted)
        case .not(let filters): self = .group(filters, isAll: isWanted, !isWanted)
        default: self = .leaf(filter, isWanted: isWanted)
        }
    }

    private static func group(_ filters: [EmailFilter], isAll: Bool, _ isWanted: Bool) -> FilterTree {
        let parts = filters.flatMap { filter -> [FilterTree] in
            let tree = FilterTree(filter, isWanted: isWanted)
            switch (tree, isAll) {
            case (.all(let parts), true), (.any(let parts), false): return parts
            default: return [tree]
            }
        }
        if parts.count == 1 { return parts[0] }
        return isAll ? .all(parts) : .any(parts)
    }
}
