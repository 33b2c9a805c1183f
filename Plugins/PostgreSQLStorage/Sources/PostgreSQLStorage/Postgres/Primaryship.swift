import FoundationEssentials
import MailKernelAPI

/// Which server took over when: a promoted standby begins a new timeline, so that the old primary has a lower one.
struct Primaryship: Codable, Hashable {
    /// Of the database cluster. It stays the same in all its standbys.
    let system: String
    let timeline: Int

    /// Whether a server with this one has been replaced by one with `other`.
    func isOlder(than other: Primaryship?) -> Bool {
        guard let other else { return false }
        return system == other.system && timeline < other.timeline
    }
}

extension Connection {
    /// Nil where the server does not say, as some hosted ones.
    func readPrimaryship() throws(StorageError) -> Primaryship? {
        do throws(StorageError) {
            let found = try first(
                """
                SELECT (SELECT system_identifier FROM pg_control_system())::text,
                    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
                """, once: true
            ) { row throws(StorageError) in Primaryship(system: row.text(0), timeline: row.int(1)) }
            return found
        } catch {
            guard !isLost else { throw error }
            return nil
        }
    }
}

/// The newest primaryship that was seen, in a file, so that a start does not begin with an old primary.
struct PrimaryshipFile {
    let path: String?

    func read() -> Primaryship? {
        guard let path, let bytes = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return try? JSONDecoder().decode(Primaryship.self, from: bytes)
    }

    /// Without it, the servers are compared with each other only.
    func write(_ primaryship: Primaryship) {
        guard let path, let bytes = try? JSONEncoder().encode(primaryship) else { return }
        try? bytes.write(to: URL(filePath: path), options: .atomic)
    }
}
