import FoundationEssentials
import MailKernelAPI

extension KeptMail {
    /// Everything that is known about messages on the server, by name.
    public func origins() async throws(AccountError) -> [String: Origin] {
        let origins = try await forTheKernel { () throws(FolderError) in
            try await folder().reader.run { database throws(FolderError) in
                try database.rows(
                    """
                    SELECT name, size, whole, message_id, fetched, missing, digest IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM message JOIN place ON place.message = number
                        WHERE id = origin.message AND mailbox <> ?)
                    FROM origin
                    """, [.text(StandardMailbox.id(.trash).rawValue)]
                ) { row in
                    Origin(
                        name: row.text(0), statedSize: row.int(1), isWhole: row.flag(2),
                        messageID: row.textOrNil(3), fetchedAt: row.date(4),
                        missingSince: row.isNull(5) ? nil : row.date(5), isDeleted: row.flag(6))
                }
            }
        }
        return Dictionary(origins.map { ($0.name, $0) }) { first, _ in first }
    }

    /// How many visits in a row found nothing but new names for known messages.
    public func renamings() async throws(AccountError) -> Int {
        try await forTheKernel { () throws(FolderError) in
            try await folder().reader.run { database throws(FolderError) in
                Int(try database.integer("SELECT max(visits) FROM renamings") ?? 0)
            }
        }
    }

    /// Notes these changes in one step.
    public func note(_ changes: [OriginChange]) async throws(AccountError) {
        guard !changes.isEmpty else { return }
        try await forTheKernel { () throws(FolderError) in
            try await folder().change { writer throws(FolderError) in
                for change in changes { try writer.note(change) }
            }
        }
    }
}

extension IndexWriter {
    fileprivate func note(_ change: OriginChange) throws(FolderError) {
        switch change {
        case .missing(let name, let since):
            try database.run(
                "UPDATE origin SET missing = ? WHERE name = ?", since.map { .date($0) } ?? .null, .text(name))
        case .size(let name, let size):
            try database.run("UPDATE origin SET size = ? WHERE name = ?", .integer(size), .text(name))
        case .skipped(let name, let size, let date):
            try database.run(
                "INSERT OR REPLACE INTO origin VALUES (?, ?, 0, NULL, NULL, NULL, ?, NULL)", .text(name),
                .integer(size), .date(date))
        case .forgotten(let name): try database.run("DELETE FROM origin WHERE name = ?", .text(name))
        case .renamings(let count):
            try database.run("DELETE FROM renamings")
            try database.run("INSERT INTO renamings VALUES (?)", .integer(count))
        }
    }
}
