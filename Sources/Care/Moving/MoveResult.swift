import MailKernelAPI

/// What both stores hold after a move.
package struct MoveResult: Sendable {
    /// One kind of record.
    package struct Row: Sendable, Equatable {
        package let name: String
        package let source: Int
        package let destination: Int
        package let isEqual: Bool
    }

    package private(set) var rows: [Row] = []
    /// A sentence for each kind and account that differs.
    package private(set) var differences: [String] = []

    package var isEqual: Bool { differences.isEmpty }

    /// - Parameter names: of both stores.
    init(_ old: StoreTally, _ new: StoreTally, addresses: [Id<Account>: String], names: (String, String)) {
        let places = Set(old.tallies.keys).union(new.tallies.keys)
        for kind in MovedRecord.Kind.allCases where kind != .threads {
            var (source, destination, isEqual) = (0, 0, true)
            let owners = places.filter { $0.kind == kind }.sorted { one, other in
                (one.accountID?.rawValue ?? "") < (other.accountID?.rawValue ?? "")
            }
            for place in owners {
                let one = old.tallies[place] ?? RecordTally()
                let other = new.tallies[place] ?? RecordTally()
                source += one.count
                destination += other.count
                guard one != other else { continue }
                isEqual = false
                let owner = place.accountID.map { " of \(addresses[$0] ?? $0.rawValue)" } ?? ""
                differences.append(
                    "\(kind.rawValue)\(owner): "
                        + (one.count == other.count
                            ? "\(one.count) in both stores, with different content."
                            : "\(one.count) in “\(names.0)”, \(other.count) in “\(names.1)”."))
            }
            rows.append(
                Row(name: kind.rawValue, source: source, destination: destination, isEqual: isEqual))
            if kind == .emails { addThreads(old.threads, new.threads, addresses) }
        }
    }

    /// Newer rules can merge threads, but none may have fallen apart.
    private mutating func addThreads(
        _ old: [Id<Account>: Int], _ new: [Id<Account>: Int], _ addresses: [Id<Account>: String]
    ) {
        let broken = old.keys.sorted().filter { new[$0, default: 0] > old[$0, default: 0] }
        for id in broken {
            differences.append("Conversations of \(addresses[id] ?? id.rawValue) fell apart.")
        }
        rows.append(
            Row(
                name: MovedRecord.Kind.threads.rawValue, source: old.values.reduce(0, +),
                destination: new.values.reduce(0, +), isEqual: broken.isEmpty))
    }
}
