import FoundationEssentials
import MailKernelAPI

/// Checks a database that is too large to be checked when it is opened: once a week, in small steps, in the
/// background. Damage is recorded, and the next opening looks again; if it is there, it sets the files aside and
/// salvages readable data, before more is lost than the servers can restore.
struct BackgroundCheck: Sendable {
    private static let rows = 200
    private static let interval = 7 * 86_400.0

    let lane: Lane
    let folder: StoreFolder
    let now: Date

    /// Whether it is time for one.
    static func isDue(_ folder: StoreFolder, _ now: Date) -> Bool {
        let stamp = (try? OpenFile.reading(folder.checkStamp)?.read(at: 0, count: 40)) ?? nil
        let last = stamp.flatMap { Double(String(decoding: $0, as: UTF8.self)) }
        guard let last else { return true }
        // A clock that was put back must not put checks off for ever.
        return abs(now.timeIntervalSince1970 - last) > Self.interval
    }

    /// Returns the damage, or nil. Stops between two steps when the task is canceled.
    func run() async throws(StorageError) -> String? {
        do throws(StorageError) {
            try await lookThrough()
        } catch .corrupt(let reason) {
            _ = try OpenFile.writing(folder.damageMark)
            return reason
        }
        try OpenFile.writing(folder.checkStamp).replace("\(now.timeIntervalSince1970)")
        return nil
    }

    private func lookThrough() async throws(StorageError) {
        let tables = try await lane.run { database throws(StorageError) in
            try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0") {
                $0.text(0)
            }
        }
        for table in tables {
            if let content = Self.content(of: table) {
                try await read(table, content)
            } else {
                try await lane.run { database throws(StorageError) in
                    let finding = try database.text("PRAGMA quick_check(\(table))")
                    if let finding, finding != "ok" { throw .corrupt(reason: finding) }
                }
            }
        }
    }

    /// The tables with most of the data, with their keys and large columns.
    private static func content(of table: String) -> (key: String, columns: [String])? {
        if table == "email_body" { return ("email", ["core", "headers", "content"]) }
        guard table.hasPrefix("search_") else { return nil }
        if table.hasSuffix("_data") { return ("id", ["block"]) }
        return table.hasSuffix("_content") ? ("id", (0..<6).map { "c\($0)" }) : nil
    }

    /// Reads every byte of a table. `max` has to see values whole, where `length` would not.
    private func read(_ table: String, _ content: (key: String, columns: [String])) async throws(StorageError)
    {
        let values = content.columns.map { "max(\($0))" }.joined(separator: ", ")
        let sql = """
            SELECT max(key), \(values) FROM (
                SELECT \(content.key) AS key, * FROM \(table) WHERE \(content.key) > ?
                ORDER BY \(content.key) LIMIT \(Self.rows))
            """
        var last: Int64? = .min
        while let after = last {
            last = try await lane.run { database throws(StorageError) in
                try database.first(sql, [.integer(after)]) { $0.isNull(0) ? nil : $0.int64(0) } ?? nil
            }
        }
    }
}
