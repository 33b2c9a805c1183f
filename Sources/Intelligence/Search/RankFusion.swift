/// Two orders of the same things made into one: reciprocal rank fusion (Cormack and others, 2009).
enum RankFusion {
    /// The constant of the paper: no single first place outweighs being well placed in both.
    static let k = 60.0

    /// All items of both, best first. Equal ones keep the order of the first list, then of the second.
    static func fuse<Item: Hashable>(_ one: [Item], _ other: [Item]) -> [Item] {
        var scores: [Item: Double] = [:]
        var order: [Item] = []
        for list in [one, other] {
            for (rank, item) in list.enumerated() {
                if scores[item] == nil { order.append(item) }
                scores[item, default: 0] += 1 / (k + Double(rank + 1))
            }
        }
        return order.enumerated().sorted { one, other in
            let (first, second) = (scores[one.element] ?? 0, scores[other.element] ?? 0)
            return first == second ? one.offset < other.offset : first > second
        }.map(\.element)
    }
}
