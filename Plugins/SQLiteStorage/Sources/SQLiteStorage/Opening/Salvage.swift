import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Reads as much as possible of a damaged database. Nothing here throws: unreadable data is lost.
struct Salvage {
    struct Blob {
        var info: BlobInfo
        var file: String
    }

    struct Mail {
        var account: Int64
        var id: Id<Email>
        var row: Int64
    }

    private let database: Database
    private let accounts: [Int64: Id<Account>]
    /// What servers call emails, by the rows of the emails.
    private let names: [Int64: [FeedID: RemoteMessageID]]

    init(_ database: Database) {
        self.database = database
        let found = Self.rows(database, "SELECT row, id FROM account", ["row"]) {
            ($0.int64(0), $0.id(1) as Id<Account>)
        }
        accounts = Dictionary(found) { first, _ in first }
        names = Self.rows(
            database, "SELECT email, feed, remote FROM remote", ["account", "feed", "remote"],
            ["email", "feed"]
        ) { ($0.int64(0), $0.id(1) as FeedID, $0.id(2) as RemoteMessageID) }
        .reduce(into: [:]) { $0[$1.0, default: [:]][$1.1] = $1.2 }
    }

    /// The rows from the beginning as far as they can be read, then from the end. Another order reads another part of
    /// the file.
    private static func rows<Value>(
        _ database: Database, _ select: String, _ orders: [String]..., make: (Row) -> Value
    ) -> [Value] {
        var found: [Value] = []
        for order in orders {
            for direction in ["ASC", "DESC"] {
                let terms = order.map { "\($0) \(direction)" }.joined(separator: ", ")
                do {
                    try database.each("\(select) ORDER BY \(terms)") { row in
                        found.append(make(row))
                        return true
                    }
                    return found
                } catch {
                    continue
                }
            }
        }
        return found
    }

    private func records<Record: Decodable>(_ table: String, _ type: Record.Type) -> [Record] {
        let order = table == "account" ? ["row"] : ["account", "id"]
        return Self.rows(database, "SELECT record FROM \(table)", order) { $0.data(0) }
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

    /// The emails that no server can restore: drafts, those without a reference, and those that a document names. A
    /// change that a server has not seen is a document, and nothing without its emails.
    func emails(of documents: [Document]) -> [Mail] {
        let drafts = Set(
            Self.rows(database, "SELECT email FROM email_keyword WHERE keyword = '$draft'", ["email"]) {
                $0.int64(0)
            })
        var named: Set<String> = []
        for document in documents {
            named.insert(document.key.name)
            document.value.addTexts(to: &named)
        }
        var seen: Set<Int64> = []
        return Self.rows(database, "SELECT account, id, row FROM email", ["row"], ["account", "id"]) {
            Mail(account: $0.int64(0), id: $0.id(1), row: $0.int64(2))
        }
        .filter { mail in
            let isKept =
                names[mail.row] == nil || drafts.contains(mail.row) || named.contains(mail.id.rawValue)
            return isKept && seen.insert(mail.row).inserted
        }
    }

    func email(_ mail: Mail) -> StorageChange? {
        guard let account = accounts[mail.account],
            let stored = try? database.email(mail.id, in: account, mail.account),
            let body = try? database.body(ofEmail: mail.row)
        else { return nil }
        return .putEmail(stored.email, body)
    }

    /// Without its references, an email that is at the service would come a second time.
    func references(_ mail: Mail) -> [StorageChange] {
        guard let account = accounts[mail.account] else { return [] }
        return (names[mail.row] ?? [:]).map { feed, remote in
            .putRemote(RemoteRef(emailID: mail.id, accountID: account, feed: feed, remoteID: remote))
        }
    }

    /// Mail that waits to be sent or could not be.
    func submissions() -> [StorageChange] {
        records("submission", EmailSubmission.self)
            .filter { [.queued, .sending, .failed].contains($0.sendState) }.map { .putSubmission($0) }
    }

    func documents() -> [Document] {
        let order = ["account", "collection", "name"]
        return Self.rows(database, "SELECT account, collection, name, record FROM document", order) {
            ($0.int64(0), $0.text(1), $0.text(2), $0.data(3))
        }
        .compactMap { account, collection, name, record in
            guard account == 0 || accounts[account] != nil,
                let value = try? JSONRecord.decode(JSONValue.self, record)
            else { return nil }
            return Document(DocumentKey(collection, name, accountID: accounts[account]), value: value)
        }
    }

    func keptBlobs() -> [Blob] {
        Self.rows(
            database, "SELECT account, id, file, type, name FROM blob WHERE cached = 0", ["row"]
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

extension JSONValue {
    fileprivate func addTexts(to texts: inout Set<String>) {
        switch self {
        case .string(let text): texts.insert(text)
        case .array(let values): for value in values { value.addTexts(to: &texts) }
        case .object(let values):
            texts.formUnion(values.keys)
            for value in values.values { value.addTexts(to: &texts) }
        case .null, .bool, .number: break
        }
    }
}

// MARK: The copy

/// The files set aside stay as they are: opening them would already change them.
extension Salvage {
    private static let sector = 4_096

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
        try append(0..<(try file.size), of: file, to: copy, atOnce: 1 << 20)
    }

    /// What the disk cannot read is zeros in the copy: only the mail in those sectors is lost.
    private static func append(
        _ range: Range<Int>, of file: OpenFile, to copy: OpenFile, atOnce size: Int
    ) throws(StorageError) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
            let piece = start..<min(start + size, range.upperBound)
            do throws(StorageError) {
                try copy.append(try file.read(at: start, count: piece.count))
            } catch .unreadable {
                if size > sector {
                    try append(piece, of: file, to: copy, atOnce: sector)
                } else {
                    try copy.append(Data(count: piece.count))
                }
            }
        }
    }

    static func removeCopy(in folder: StoreFolder) throws(StorageError) {
        for file in folder.salvageFiles { try Folders.remove(file) }
    }
}
