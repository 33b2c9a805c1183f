import Network

/// The connections of the last 30 days, as recorded.
package struct Connections: Sendable {
    let reader: LedgerReader?

    /// Newest first.
    package func list(from position: Int, limit: Int) -> [ConnectionEntry] {
        guard let reader, limit > 0 else { return [] }
        var list: [ConnectionEntry] = []
        var skipped = 0
        var page = reader.page(limit: 1000)
        while true {
            let rest = page.entries.dropFirst(min(page.entries.count, position - skipped))
            skipped += page.entries.count - rest.count
            list += rest.prefix(limit - list.count)
            guard list.count < limit, let next = page.next else { return list }
            page = reader.page(after: next, limit: 1000)
        }
    }
}
