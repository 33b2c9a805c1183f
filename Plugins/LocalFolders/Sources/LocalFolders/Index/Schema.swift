import FoundationEssentials
import MailKernelAPI

/// The tables of an account's index.
enum Schema {
    static let version: Int64 = 1
    /// "mklf", so that another program's database is not taken for ours.
    private static let application: Int64 = 0x6d6b_6c66

    /// Makes a new index, or checks that this is one that this version understands.
    static func prepare(_ database: Database, generation: Int64) throws(FolderError) {
        try database.execute("PRAGMA journal_mode = WAL")
        // A commit is on the disk when it returns.
        try database.execute("PRAGMA synchronous = FULL")
        try database.transaction { () throws(FolderError) in
            let found = try database.integer("PRAGMA user_version") ?? 0
            let owner = try database.integer("PRAGMA application_id")
            if found == version, owner == application { return }
            if found > version, owner == application { throw .newerFormat }
            guard found == 0, try database.integer("SELECT count(*) FROM sqlite_master") == 0 else {
                throw .damaged("it belongs to another program")
            }
            try database.execute(tables)
            try database.run("INSERT INTO state VALUES (?, 1, 1, 0, 0)", .integer(generation))
            for (position, mailbox) in StandardMailbox.all.enumerated() {
                try database.run(
                    "INSERT INTO mailbox VALUES (?, ?, NULL, ?, ?)", .text(mailbox.id.rawValue),
                    .text(mailbox.name), .text(mailbox.role.rawValue), .integer(position))
            }
            try database.execute("PRAGMA user_version = \(version)")
            try database.execute("PRAGMA application_id = \(application)")
        }
    }

    // Every change has a number, `step`. A message has that of its arrival (`came`) and of its last change
    // (`changed`); removed messages leave both in `gone`. Changes up to `forgotten` are no longer reported.
    private static let tables = """
        CREATE TABLE state (
            generation INTEGER NOT NULL, step INTEGER NOT NULL, mailboxes INTEGER NOT NULL,
            forgotten INTEGER NOT NULL, demo INTEGER NOT NULL);
        CREATE TABLE mailbox (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, parent TEXT, role TEXT, position INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE message (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL,
            size INTEGER NOT NULL, received REAL NOT NULL, keywords TEXT NOT NULL, message_id TEXT,
            came INTEGER NOT NULL, changed INTEGER NOT NULL);
        CREATE INDEX message_digest ON message (digest);
        CREATE INDEX message_newest ON message (received, number);
        CREATE INDEX message_came ON message (came);
        CREATE INDEX message_changed ON message (changed);
        CREATE INDEX message_message_id ON message (message_id);
        CREATE TABLE place (
            message INTEGER NOT NULL, mailbox TEXT NOT NULL, PRIMARY KEY (message, mailbox)
        ) WITHOUT ROWID;
        CREATE INDEX place_mailbox ON place (mailbox);
        CREATE TABLE gone (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL, came INTEGER NOT NULL, changed INTEGER NOT NULL);
        CREATE INDEX gone_changed ON gone (changed);
        -- Files of messages that are gone, until they are removed.
        CREATE TABLE doomed (id TEXT PRIMARY KEY) WITHOUT ROWID;
        -- What was handed over here and not yet told to be done, what was handed over, and what came.
        CREATE TABLE sending (digest BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE sent (message_id TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE delivered (
            number INTEGER PRIMARY KEY AUTOINCREMENT, delivery BLOB NOT NULL UNIQUE);
        """
}

/// A mailbox that every account has.
struct StandardMailbox {
    let name: String
    let role: Mailbox.Role

    var id: RemoteMailboxID { Self.id(role) }

    static func id(_ role: Mailbox.Role) -> RemoteMailboxID { RemoteMailboxID(role.rawValue) }

    static let all = [
        StandardMailbox(name: "Inbox", role: .inbox), StandardMailbox(name: "Drafts", role: .drafts),
        StandardMailbox(name: "Sent", role: .sent), StandardMailbox(name: "Archive", role: .archive),
        StandardMailbox(name: "Junk", role: .junk), StandardMailbox(name: "Trash", role: .trash),
    ]
}
