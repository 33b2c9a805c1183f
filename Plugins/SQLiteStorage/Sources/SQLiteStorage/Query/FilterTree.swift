import MailKernelAPI

/// A filter with negation at its leaves only, and no group within a group of the same kind.
indirect enum FilterTree {
    case all([FilterTree])
    case any([FilterTree])
    case leaf(EmailFilter, isWanted: Bool)

    init(_ filter: EmailFilter, isWanted: Bool = true) {
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
