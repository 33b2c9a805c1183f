import MailKernelAPI

/// Migrates older databases, one version after the other, in a single transaction: if it is interrupted or
/// fails, the older database is unchanged.
///
/// With each new version, a file of the previous one is added to `Tests/SQLiteStorageTests/Fixtures`.
struct Migrations {
    /// There is one version so far.
    static let all = Migrations(to: Schema.version, steps: [:])

    let version: Int
    /// The SQL that makes a database of the version before into one of this version.
    private let steps: [Int: String]

    init(to version: Int, steps: [Int: String]) {
        self.version = version
        self.steps = steps
    }

    /// Returns once the database is of the newest version, durably.
    func run(on database: Database, from version: Int) throws(StorageError) {
        try database.transaction(.write) { () throws(StorageError) in
            for next in (version + 1)...max(version + 1, self.version) {
                guard let step = steps[next] else {
                    throw .unreadable(reason: "format \(next - 1) cannot be migrated to \(next)")
                }
                try database.execute(step)
            }
            try database.execute("PRAGMA user_version = \(self.version)")
        }
    }
}
