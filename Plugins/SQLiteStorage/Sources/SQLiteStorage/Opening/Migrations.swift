import MailKernelAPI

/// Brings older databases up to date, one version after the other, all in one transaction.
enum Migrations {
    /// The SQL that makes a database of the version before into one of this version.
    private static let steps: [Int: String] = [:]

    static func run(on database: Database, from version: Int) throws(StorageError) {
        try database.transaction(.write) { () throws(StorageError) in
            for next in (version + 1)...Schema.version {
                guard let step = steps[next] else {
                    throw .unreadable(reason: "there is no way from format \(next - 1) to \(next)")
                }
                try database.execute(step)
            }
            try database.execute("PRAGMA user_version = \(Schema.version)")
        }
    }
}
