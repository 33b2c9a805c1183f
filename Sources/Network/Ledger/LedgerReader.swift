public import FoundationEssentials

/// Reads the list of connections, whether or not the program runs.
public struct LedgerReader: Sendable {
    /// Where a page ended.
    public struct Position: Sendable, Hashable, Codable {
        fileprivate let day: String
        fileprivate let id: String
    }

    public struct Page: Sendable {
        /// Newest first.
        public let entries: [ConnectionEntry]
        /// Where the next page begins; nil if this was the last.
        public let next: Position?
    }

    private let folder: LedgerFolder

    public init(folder: URL) {
        self.folder = LedgerFolder(url: folder)
    }

    /// The connections that began before a position, newest first; without one from the newest on.
    ///
    /// - Parameter since: nothing that began earlier is looked at.
    public func page(after position: Position? = nil, since: Date = .distantPast, limit: Int = 100) -> Page {
        let earliest = LedgerFolder.day(of: since)
        var found: [ConnectionEntry] = []
        var ends: [String: LedgerLine.Ending] = [:]
        for day in folder.days where day >= earliest {
            let entries = entries(of: day, &ends).filter { $0.start >= since }
            // Newer entries are read only for the ends of older ones.
            if let position, day > position.day { continue }
            var rest = entries[...]
            if let position, day == position.day {
                rest = entries.drop { $0.id != position.id }.dropFirst()
            }
            for entry in rest {
                if found.count == limit, let last = found.last {
                    return Page(
                        entries: found, next: Position(day: LedgerFolder.day(of: last.start), id: last.id))
                }
                found.append(entry)
            }
        }
        return Page(entries: found, next: nil)
    }

    /// A day's connections, newest first.
    ///
    /// - Parameter ends: the ends that newer days have; this day's are added.
    private func entries(of day: String, _ ends: inout [String: LedgerLine.Ending]) -> [ConnectionEntry] {
        var began: [LedgerLine.Beginning] = []
        for line in folder.lines(of: day) {
            switch line {
            case .began(let line): began.append(line)
            case .ended(let line): ends[line.connection] = line
            }
        }
        var running: [ProcessMark: Bool] = [:]
        return began.reversed().map { line in
            var entry = ConnectionEntry(line)
            if let end = ends.removeValue(forKey: line.connection) {
                entry.end(end)
            } else {
                let isRunning = running[line.process] ?? line.process.isRunning
                running[line.process] = isRunning
                if !isRunning { entry.state = .interrupted }
            }
            return entry
        }
    }
}
