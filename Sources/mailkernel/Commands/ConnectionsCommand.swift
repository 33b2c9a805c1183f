import FoundationEssentials
import Network
import Store

/// Lists all connections: which plugin, which server, when, how much data, and why.
struct ConnectionsCommand {
    private let folders: KernelFolders
    private let days: Int
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        isJSON = arguments.flag("--json")
        let text = try arguments.value("--days") ?? "30"
        guard let days = Int(text), (1...30).contains(days) else {
            throw UsageError("--days must be a number from 1 to 30, not “\(text)”.")
        }
        self.days = days
        folders = try CommonOptions.folders(&arguments, isDemo: arguments.flag("--demo"))
        try arguments.finish()
    }

    func run() throws {
        let reader = LedgerReader(folder: folders.connections)
        let since = Date() - Double(days) * 86_400
        var page = reader.page(since: since)
        guard isJSON || !page.entries.isEmpty else {
            let span = days == 1 ? "the last 24 hours" : "the last \(days) days"
            return print("No connections in \(span).")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        if !isJSON { print(ConnectionTable.heading) }
        while true {
            for entry in page.entries {
                let line =
                    isJSON
                    ? String(decoding: try encoder.encode(entry), as: UTF8.self) : ConnectionTable.row(entry)
                print(line)
            }
            guard let next = page.next else { return }
            page = reader.page(after: next, since: since)
        }
    }
}

/// A connection as a line of a table.
enum ConnectionTable {
    static let heading = row(
        "TIME (UTC)", "PLUGIN", "SERVER", "RECEIVED", "SENT", "DURATION", "PURPOSE")

    static func row(_ entry: ConnectionEntry) -> String {
        let place = "\(entry.host):\(entry.port)" + (entry.proxy.map { " via \($0)" } ?? "")
        var why = entry.purposes.joined(separator: ", ")
        if entry.requests > 1 { why += " (\(entry.requests) requests)" }
        if let problem = entry.problem { why += ". Failed: \(problem)" }
        let known = entry.state == .finished || entry.state == .failed
        let start = entry.start.formatted(.iso8601).replacing("T", with: " ").replacing("Z", with: "")
        return row(
            start, entry.plugin, place, known ? amount(entry.received) : "", known ? amount(entry.sent) : "",
            length(entry), why)
    }

    private static func length(_ entry: ConnectionEntry) -> String {
        switch entry.state {
        case .open: return "still open"
        case .interrupted: return "cut off"
        case .finished, .failed: break
        }
        let seconds = (entry.end ?? entry.start).timeIntervalSince(entry.start)
        if seconds < 1 { return "\(Int(seconds * 1_000)) ms" }
        if seconds < 120 { return "\(Int(seconds)) s" }
        return seconds < 7_200 ? "\(Int(seconds / 60)) min" : "\(Int(seconds / 3_600)) h"
    }

    private static func amount(_ bytes: Int) -> String {
        if bytes < 1_000 { return "\(bytes) B" }
        if bytes < 1_000_000 { return "\(bytes / 1_000) KB" }
        return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
    }

    private static func row(_ cells: String...) -> String {
        let widths = [19, 26, 30, 9, 9, 10]
        return zip(cells, widths + [0]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }.joined(separator: "  ")
    }
}
