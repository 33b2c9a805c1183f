import FoundationEssentials
import MailKernelAPI

/// Opens the store in a folder: creates it, migrates it, or sets it aside and salvages readable data.
struct Opening: Sendable {
    let folder: StoreFolder
    let now: Date
    var migrations = Migrations.all

    /// Smaller files are looked through at each opening. For larger ones that takes too long: they are
    /// looked through in the background.
    var quickCheckLimit = 32_000_000

    private static let readers = 3

    func run() async throws(StorageError) -> (OpenStore, StorageOpening) {
        try await OffThread.run { () throws(StorageError) in
            try folder.prepare()
            let lock = try folder.lock()
            let (store, met) = try open(lock)
            folder.reserve.hold()
            return (store, met)
        }
    }

    /// Necessary writes on a full disk, for example after a crash, use the reserve.
    private func open(_ lock: OpenFile) throws(StorageError) -> (OpenStore, StorageOpening) {
        do throws(StorageError) {
            return try openOnce(lock)
        } catch .full {
            guard folder.reserve.lend() else { throw .full }
            return try openOnce(lock)
        }
    }

    private func openOnce(_ lock: OpenFile) throws(StorageError) -> (OpenStore, StorageOpening) {
        let met = try prepareDatabase()
        try removeStrayBlobs()
        return (try connect(lock), met)
    }

    private func connect(_ lock: OpenFile) throws(StorageError) -> OpenStore {
        let file = try OpenFile.writing(folder.database)
        let database = try Self.writer(folder)
        try finishRemoval(RemovedPages(database: database, folder: folder, file: file))
        try emptyLog(database, file)
        let writer = Lane("sqlite-storage.writer", database)
        var readers: [Lane] = []
        for number in 1...Self.readers {
            let database = try Database(folder.database, .readOnly)
            try database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000")
            readers.append(Lane("sqlite-storage.reader-\(number)", database))
        }
        return OpenStore(
            folder: folder, databaseFile: file, lock: lock, writer: writer, readers: ReaderPool(readers),
            check: try backgroundCheck())
    }

    /// Where even the room of the reserve is not enough the log stays, and is read with the rest.
    private func emptyLog(_ database: Database, _ file: OpenFile) throws(StorageError) {
        do throws(StorageError) {
            try DiskRoom(folder: folder, file: file).makeRoom(in: database) { () throws(StorageError) in
                try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch .full {}
    }

    /// Finishes an interrupted cleanup. On a full disk this waits for another start; mail can be read anyway.
    private func finishRemoval(_ pages: RemovedPages) throws(StorageError) {
        guard Folders.exists(folder.removalMark) else { return }
        do throws(StorageError) { try pages.clean() } catch .full {}
    }

    private func backgroundCheck() throws(StorageError) -> BackgroundCheck? {
        guard folder.size(of: folder.database) > quickCheckLimit, BackgroundCheck.isDue(folder, now) else {
            return nil
        }
        let database = try Database(folder.database, .readOnly)
        // Pages that it reads once and does not read again.
        try database.execute("PRAGMA cache_size = -1000")
        return BackgroundCheck(lane: Lane("sqlite-storage.check", database), folder: folder, now: now)
    }

    /// A connection that writes, as it has to be set up each time.
    static func writer(_ folder: StoreFolder) throws(StorageError) -> Database {
        try folder.protectDatabase()
        let database = try Database(folder.database, .readWrite)
        if folder.size(of: folder.database) == 0 {
            // Before there is anything in it: later it would take a rewrite of the whole file. Mail that comes in
            // fills whole pages, so that larger ones are fewer to write.
            try database.execute("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL")
        }
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 33554432; PRAGMA wal_autocheckpoint = 500
            """)
        return database
    }

    private func prepareDatabase() throws(StorageError) -> StorageOpening {
        if try folder.unfinishedRecovery() != nil { return try Recovery(folder: folder, now: now).run() }
        guard folder.size(of: folder.database) > 0 else {
            return try create()
        }
        // SQLite reports a failed read of the disk as damage. Only damage that is found twice is there: the second
        // time, everything is read again.
        do throws(StorageError) { return try examineAll() } catch .corrupt {}
        do throws(StorageError) {
            return try examineAll()
        } catch .corrupt {
            return try Recovery(folder: folder, now: now).run()
        }
    }

    private func examineAll() throws(StorageError) -> StorageOpening {
        let met = try examine()
        if Folders.exists(folder.damageMark) {
            try Self.writer(folder).expectSound()
            try Folders.remove(folder.damageMark)
        }
        return met
    }

    private func create() throws(StorageError) -> StorageOpening {
        try Self.createSchema(in: try Self.writer(folder))
        try OpenFile.synchronizeFolder(folder.path)
        return .created
    }

    static func createSchema(in database: Database) throws(StorageError) {
        try database.transaction(.write) { () throws(StorageError) in
            try database.execute(Schema.creation)
            try StoreRow.create(in: database)
            try database.execute(
                "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(Schema.version)")
        }
    }
}

// MARK: What is there

extension Opening {
    /// Examines a database without changing it, until it is known to be ours and not too new.
    private func examine() throws(StorageError) -> StorageOpening {
        let header = try DatabaseHeader(folder.database)
        try refuse(version: header.version, application: header.application)
        // The log may hold a newer header than the file.
        let (version, application) = try Self.versions(of: folder)
        try refuse(version: version, application: application)
        let database = try Self.writer(folder)
        if version == 0 {
            // The program was ended between making the file and making the tables.
            guard try database.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw .unreadable(reason: "mail.db is not a database of mailkernel")
            }
            try Self.createSchema(in: database)
            return .created
        }
        try check(database)
        guard version < migrations.version else { return .ready }
        try migrations.run(on: database, from: version)
        return .migrated(from: version, to: migrations.version)
    }

    private static func versions(of folder: StoreFolder) throws(StorageError) -> (Int, Int) {
        let database = try Database(folder.database, .readOnly)
        let version = try database.integer("PRAGMA user_version") ?? 0
        return (Int(version), Int(try database.integer("PRAGMA application_id") ?? 0))
    }

    private func refuse(version: Int, application: Int) throws(StorageError) {
        guard application == 0 || application == Schema.applicationID else {
            throw .unreadable(reason: "mail.db is a database of another program")
        }
        guard version <= migrations.version else {
            throw .newerFormat(found: version, known: migrations.version)
        }
    }

    private func check(_ database: Database) throws(StorageError) {
        _ = try StoreRow(database)
        do throws(StorageError) {
            for account in try database.accountRows() {
                _ = try database.integer("SELECT rowid FROM \(SearchIndex(account: account).table) LIMIT 1")
            }
        } catch .corrupt(let reason) {
            // Words are in the mail as well: for them alone nothing is set aside.
            guard try database.mendIndexes() else { throw .corrupt(reason: reason) }
        }
        guard folder.size(of: folder.database) <= quickCheckLimit else { return }
        let finding = try database.text("PRAGMA quick_check(1)")
        if let finding, finding != "ok" { throw .corrupt(reason: finding) }
    }

    /// What a writer left unfinished, or a removal unfinished, when the program was ended.
    private func removeStrayBlobs() throws(StorageError) {
        let names = Folders.names(in: folder.blobs)
        guard !names.isEmpty else { return }
        let database = try Database(folder.database, .readOnly)
        let known = Set(try database.rows("SELECT file FROM blob") { $0.text(0) })
        for name in names where !known.contains(name) { try Folders.remove(folder.blob(name)) }
    }
}

/// The first bytes of a database file, read without SQLite, which would touch the files beside it.
private struct DatabaseHeader {
    let version: Int
    let application: Int

    init(_ path: String) throws(StorageError) {
        let bytes = [UInt8](try OpenFile.reading(path)?.read(at: 0, count: 100) ?? Data())
        guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .corrupt(reason: "mail.db does not have the header of a database")
        }
        version = Self.number(bytes[60..<64])
        application = Self.number(bytes[68..<72])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int($1) }))
    }
}
