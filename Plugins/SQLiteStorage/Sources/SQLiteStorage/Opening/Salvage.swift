import FoundationEssentials
import MailKernelAPI

/// Reads as much as possible of a damaged database. Nothing here throws: unreadable data is lost.
struct Salvage {
    struct Blob {
        var info: BlobInfo
        var file: String
    }

    private let database: Database
    private let accounts: [Int64: Id<Account>]

    init(_ database: Database) {
        self.database = database
        let found = Self.rows(database, "SELECT row, id FROM account", order: "row") {
            ($0.int64(0), $0.id(1) as Id<Account>)
        }
        accounts = Dictionary(found) { first, _ in first }
    }

    /// The rows from the beginning as far as they can be read, then from the end.
    private static func rows<Value>(
        _ database: Database, _ select: String, order: String, _ make: (Row) -> Value
    ) -> [Value] {
        var found: [Value] = []
        for direction in ["ASC", "DESC"] {
            do {
                try database.each("\(select) ORDER BY \(order) \(direction)") { row in
                    found.append(make(row))
                    return true
                }
                return found
            } catch {
                continue
            }
        }
        return found
    }

    private func records<Record: Decodable>(_ table: String, _ type: Record.Type) -> [Record] {
        let order = table == "account" ? "row" : "account, id"
        return Self.rows(database, "SELECT record FROM \(table)", order: order) { $0.data(0) }
            .compactMap { try? JSONRecord.decode(type, $0) }
    }
}

// MARK: What is saved

extension Salvage {
    /// What the rest hangs on: accounts and mailboxes, parents before their children.
    func frame() -> [StorageChange] {
        let accounts = records("account", Account.self)
        var changes: [StorageChange] = accounts.map { .putAccount($0) }
        for (row, id) in self.accounts {
            var waiting = ((try? database.mailboxes(in: id, row)) ?? []).map(\.mailbox)
            var placed: Set<Id<Mailbox>> = []
            while true {
                let ready = waiting.filter { $0.parentID.map(placed.contains) ?? true }
                guard !ready.isEmpty else { break }
                changes += ready.map { .putMailbox($0) }
                placed.formUnion(ready.map(\.id))
                waiting.removeAll { placed.contains($0.id) }
            }
        }
        return changes + records("identity", Identity.self).map { .putIdentity($0) }
    }

    /// Drafts, mail that waits to be sent or could not be, and documents.
    func treasures() -> [StorageChange] {
        let waiting = records("submission", EmailSubmission.self)
            .filter { [.queued, .sending, .failed].contains($0.sendState) }
        return drafts() + waiting.map { .putSubmission($0) } + documents()
    }

    private func drafts() -> [StorageChange] {
        let found = Self.rows(
            database,
            """
            SELECT e.account, e.id, e.row FROM email_keyword k JOIN email e ON e.row = k.email
            WHERE k.keyword = '$draft'
            """, order: "k.email"
        ) { (account: $0.int64(0), id: $0.id(1) as Id<Email>, row: $0.int64(2)) }
        var seen: Set<Int64> = []
        return found.compactMap { draft in
            guard seen.insert(draft.row).inserted, let account = accounts[draft.account],
                let stored = try? database.email(draft.id, in: account, draft.account),
                let body = try? database.body(ofEmail: draft.row)
            else { return nil }
            return .putEmail(stored.email, body)
        }
    }

    /// What servers call the drafts: without it those that are there would come a second time.
    func draftNames() -> [StorageChange] {
        Self.rows(
            database,
            """
            SELECT e.account, e.id, r.feed, r.remote FROM email_keyword k JOIN email e ON e.row = k.email
            JOIN remote r ON r.email = e.row WHERE k.keyword = '$draft'
            """, order: "k.email"
        ) { ($0.int64(0), $0.id(1) as Id<Email>, $0.id(2) as FeedID, $0.id(3) as RemoteMessageID) }
        .compactMap { account, email, feed, remote in
            accounts[account].map { account in
                .putRemote(RemoteRef(emailID: email, accountID: account, feed: feed, remoteID: remote))
            }
        }
    }

    private func documents() -> [StorageChange] {
        Self.rows(
            database, "SELECT account, collection, name, record FROM document",
            order: "account, collection, name"
        ) { ($0.int64(0), $0.text(1), $0.text(2), $0.data(3)) }
        .compactMap { account, collection, name, record in
            guard account == 0 || accounts[account] != nil,
                let value = try? JSONRecord.decode(JSONValue.self, record)
            else { return nil }
            return .putDocument(
                Document(DocumentKey(collection, name, accountID: accounts[account]), value: value))
        }
    }

    func keptBlobs() -> [Blob] {
        Self.rows(
            database, "SELECT account, id, file, type, name FROM blob WHERE cached = 0", order: "row"
        ) { ($0.int64(0), $0.id(1) as Id<MailKernelAPI.Blob>, $0.text(2), $0.text(3), $0.textOrNil(4)) }
        .compactMap { account, id, file, type, name in
            accounts[account].map { account in
                Blob(
                    info: BlobInfo(id: id, accountID: account, type: type, name: name, retention: .kept),
                    file: file)
            }
        }
    }
}

// MARK: The copy

/// The files set aside stay as they are: opening them would already change them.
extension Salvage {
    static func copy(of aside: String, in folder: StoreFolder) throws(StorageError) -> Database {
        try removeCopy(in: folder)
        for suffix in ["", "-wal"] { try copy(aside + "/mail.db" + suffix, to: folder.salvageCopy + suffix) }
        let database = try Database(folder.salvageCopy, .readWrite)
        // Reading the log needs space too, and after this point the lack of it is not reported.
        _ = try database.integer("SELECT count(*) FROM sqlite_schema")
        return database
    }

    private static func copy(_ path: String, to target: String) throws(StorageError) {
        guard let file = try OpenFile.reading(path) else { return }
        let copy = try OpenFile.make(target)
        var offset = 0
        while true {
            let bytes = try file.read(at: offset, count: 1 << 20)
            guard !bytes.isEmpty else { return }
            try copy.append(bytes)
            offset += bytes.count
        }
    }

    static func removeCopy(in folder: StoreFolder) throws(StorageError) {
        for file in folder.salvageFiles { try Folders.remove(file) }
    }
}
