import MailKernelAPI
import StoreRules

/// The tables. Rows are joined by integers; the texts that the contract calls ids are unique within
/// their account.
enum Schema {
    /// Raised by one with each change of what follows, together with a step in `Migrations`.
    static let version = 1
    /// "mlkn", so that `file` can say whose database this is.
    static let applicationID = 0x6D6C_6B6E

    static let creation = accounts + emails + threads + records + history

    private static let accounts = """
        CREATE TABLE store (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            id TEXT NOT NULL,
            last_change INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            last_use INTEGER NOT NULL);
        CREATE TABLE account (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            added REAL NOT NULL,
            born INTEGER NOT NULL,
            cache_limit INTEGER NOT NULL,
            record BLOB NOT NULL,
            mail_bytes INTEGER NOT NULL DEFAULT 0,
            index_bytes INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE mailbox (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            id TEXT NOT NULL,
            name TEXT NOT NULL,
            parent TEXT,
            role TEXT,
            sort_order INTEGER NOT NULL,
            subscribed INTEGER NOT NULL,
            rights INTEGER NOT NULL,
            total_emails INTEGER NOT NULL DEFAULT 0,
            unread_emails INTEGER NOT NULL DEFAULT 0,
            total_threads INTEGER NOT NULL DEFAULT 0,
            unread_threads INTEGER NOT NULL DEFAULT 0,
            UNIQUE (account, id));

        """

    /// What finds and orders emails is in `email`, whose rows are short: a search looks up thousands.
    /// What shows them is apart, what lists show first, so that they need not read the texts.
    private static let emails = """
        CREATE TABLE email (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            id TEXT NOT NULL,
            thread INTEGER NOT NULL,
            received REAL NOT NULL,
            sent REAL NOT NULL,
            size INTEGER NOT NULL,
            attachment INTEGER NOT NULL,
            unread INTEGER NOT NULL,
            mail_bytes INTEGER NOT NULL,
            index_bytes INTEGER NOT NULL,
            from_key TEXT NOT NULL,
            to_key TEXT NOT NULL,
            subject_key TEXT NOT NULL);
        CREATE UNIQUE INDEX email_id ON email (account, id);
        CREATE INDEX email_newest ON email (account, received DESC);
        CREATE INDEX email_thread ON email (thread, received);
        CREATE TABLE email_body (
            email INTEGER PRIMARY KEY,
            core BLOB NOT NULL,
            headers BLOB NOT NULL,
            content BLOB NOT NULL);
        CREATE TABLE email_mailbox (
            email INTEGER NOT NULL,
            mailbox INTEGER NOT NULL,
            received REAL NOT NULL,
            PRIMARY KEY (email, mailbox)) WITHOUT ROWID;
        CREATE INDEX email_mailbox_newest ON email_mailbox (mailbox, received DESC);
        CREATE TABLE email_keyword (
            email INTEGER NOT NULL,
            keyword TEXT NOT NULL,
            PRIMARY KEY (email, keyword)) WITHOUT ROWID;
        CREATE INDEX email_keyword_emails ON email_keyword (keyword, email);

        """

    /// A thread remembers the messages and subjects that brought it together.
    private static let threads = """
        CREATE TABLE thread (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            id TEXT NOT NULL,
            UNIQUE (account, id));
        CREATE TABLE thread_message (
            account INTEGER NOT NULL,
            message TEXT NOT NULL,
            thread INTEGER NOT NULL,
            PRIMARY KEY (account, message)) WITHOUT ROWID;
        CREATE INDEX thread_message_thread ON thread_message (thread);
        CREATE TABLE thread_subject (
            row INTEGER PRIMARY KEY,
            account INTEGER NOT NULL,
            subject TEXT NOT NULL,
            first REAL NOT NULL,
            last REAL NOT NULL,
            thread INTEGER NOT NULL);
        CREATE INDEX thread_subject_subject ON thread_subject (account, subject);
        CREATE INDEX thread_subject_thread ON thread_subject (thread);

        """

    /// A person is an address over all accounts, as autocomplete shows it: looked through from the
    /// best on in an index that holds all that is looked at.
    private static let records = """
        CREATE TABLE identity (
            account INTEGER NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL,
            PRIMARY KEY (account, id)) WITHOUT ROWID;
        CREATE TABLE submission (
            account INTEGER NOT NULL, id TEXT NOT NULL, queued REAL NOT NULL, record BLOB NOT NULL,
            PRIMARY KEY (account, id)) WITHOUT ROWID;
        CREATE TABLE remote (
            account INTEGER NOT NULL, feed TEXT NOT NULL, remote TEXT NOT NULL, email INTEGER NOT NULL,
            PRIMARY KEY (account, feed, remote)) WITHOUT ROWID;
        CREATE UNIQUE INDEX remote_email ON remote (email, feed);
        CREATE TABLE contact (
            account INTEGER NOT NULL,
            email TEXT NOT NULL,
            name TEXT,
            name_seen REAL,
            frequency INTEGER NOT NULL,
            last_seen REAL NOT NULL,
            PRIMARY KEY (account, email)) WITHOUT ROWID;
        CREATE INDEX contact_email ON contact (email);
        CREATE INDEX contact_worst ON contact (account, frequency, last_seen, email);
        CREATE TABLE person (
            email TEXT PRIMARY KEY,
            name TEXT,
            frequency INTEGER NOT NULL,
            last_seen REAL NOT NULL,
            folded TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX person_best ON person (frequency DESC, last_seen DESC, email, name, folded);
        CREATE TABLE insight (
            email INTEGER PRIMARY KEY,
            account INTEGER NOT NULL,
            model TEXT NOT NULL,
            category TEXT NOT NULL,
            corrected INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            summary TEXT,
            embedding BLOB NOT NULL);
        CREATE INDEX insight_account ON insight (account, corrected, bytes);
        CREATE TABLE document (
            account INTEGER NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL, record BLOB NOT NULL,
            PRIMARY KEY (account, collection, name)) WITHOUT ROWID;
        CREATE TABLE blob (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            id TEXT NOT NULL,
            file TEXT NOT NULL,
            type TEXT NOT NULL,
            name TEXT,
            size INTEGER NOT NULL,
            cached INTEGER NOT NULL,
            last_use INTEGER NOT NULL,
            UNIQUE (account, id));
        CREATE INDEX blob_cached ON blob (account, cached, last_use, size);

        """

    /// The last changes of each type and account. Account 0 is for types without an account.
    private static let history = """
        CREATE TABLE history (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            type TEXT NOT NULL,
            oldest INTEGER NOT NULL,
            current INTEGER NOT NULL,
            count INTEGER NOT NULL,
            UNIQUE (account, type));
        CREATE TABLE change (
            history INTEGER NOT NULL,
            number INTEGER NOT NULL,
            id TEXT NOT NULL,
            kind INTEGER NOT NULL,
            only_counts INTEGER NOT NULL,
            PRIMARY KEY (history, number)) WITHOUT ROWID;

        """
}
