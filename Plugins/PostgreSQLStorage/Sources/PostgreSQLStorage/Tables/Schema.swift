/// The tables.
///
/// The account comes first in every key, so that accounts can be spread over servers. There are no sequences, triggers
/// or foreign keys. Account 0 holds what belongs to no account. Texts are `bytea`: see `SQLValue`.
enum Schema {
    /// Raised by one with each change of what follows.
    static let version = 2
    /// Of a store that has several servers, or had: with `PlaceTables`.
    static let spreadVersion = 3

    static let wordIndex = "email_terms"
    static let wordIndexColumns = "USING gin ((\(SearchPlace.columns())), terms)"

    static let creation = accounts + emails + insights + threads + records + blobs

    private static let accounts = """
        CREATE TABLE store (
            one boolean PRIMARY KEY DEFAULT true CHECK (one),
            id text NOT NULL,
            format bigint NOT NULL,
            last_account bigint NOT NULL DEFAULT 0,
            last_change bigint NOT NULL DEFAULT 0);
        CREATE TABLE account (
            account bigint PRIMARY KEY,
            id bytea NOT NULL UNIQUE,
            added double precision NOT NULL,
            cache_limit bigint NOT NULL,
            record bytea NOT NULL,
            last_change bigint NOT NULL DEFAULT 0,
            revision bigint NOT NULL DEFAULT 0,
            last_use bigint NOT NULL DEFAULT 0,
            mail_bytes bigint NOT NULL DEFAULT 0,
            index_bytes bigint NOT NULL DEFAULT 0,
            insight_bytes bigint NOT NULL DEFAULT 0,
            corrected_bytes bigint NOT NULL DEFAULT 0,
            fence bigint NOT NULL DEFAULT 0,
            holder bytea,
            held_until timestamptz NOT NULL DEFAULT '-infinity');
        CREATE TABLE mailbox (
            account bigint NOT NULL,
            id bytea NOT NULL,
            record bytea NOT NULL,
            parent bytea,
            role text NOT NULL,
            sort_order bigint NOT NULL,
            total_emails bigint NOT NULL,
            unread_emails bigint NOT NULL,
            total_threads bigint NOT NULL,
            unread_threads bigint NOT NULL,
            PRIMARY KEY (account, id));

        """

    /// `email` finds and orders emails; `email_body` shows them. A quarter is about three months: see `SearchPlace`.
    private static let emails = """
        CREATE TABLE email (
            account bigint NOT NULL,
            id bytea NOT NULL,
            thread bytea NOT NULL,
            received double precision NOT NULL,
            sent double precision NOT NULL,
            size bigint NOT NULL,
            attachment boolean NOT NULL,
            mailboxes bytea[] NOT NULL,
            keywords bytea[] NOT NULL,
            quarter bigint NOT NULL,
            from_key bytea NOT NULL,
            to_key bytea NOT NULL,
            subject_key bytea NOT NULL,
            terms tsvector NOT NULL,
            mail_bytes bigint NOT NULL,
            index_bytes bigint NOT NULL,
            PRIMARY KEY (account, id)) WITH (fillfactor = 90);
        CREATE INDEX email_newest ON email (account, received DESC, id);
        CREATE INDEX email_thread ON email (account, thread, received DESC, id);
        CREATE INDEX \(wordIndex) ON email \(wordIndexColumns);
        CREATE TABLE email_body (
            account bigint NOT NULL,
            id bytea NOT NULL,
            core bytea NOT NULL,
            headers bytea NOT NULL,
            content bytea NOT NULL,
            header_names bytea[] NOT NULL,
            header_values bytea[] NOT NULL,
            PRIMARY KEY (account, id));
        CREATE TABLE email_mailbox (
            account bigint NOT NULL,
            mailbox bytea NOT NULL,
            received double precision NOT NULL,
            id bytea NOT NULL,
            PRIMARY KEY (account, mailbox, id));
        CREATE INDEX email_mailbox_newest ON email_mailbox (account, mailbox, received DESC, id);

        """

    /// A commit gives its insights a greater number than those before it: see `VectorMemory`. Vectors and summaries are
    /// kept outside of the rows, so that looking for a category does not read them.
    private static let insights = """
        CREATE TABLE insight (
            account bigint NOT NULL,
            id bytea NOT NULL,
            model bytea NOT NULL,
            category bytea NOT NULL,
            corrected boolean NOT NULL,
            number bigint NOT NULL,
            bytes bigint NOT NULL,
            summary bytea,
            embedding bytea NOT NULL,
            PRIMARY KEY (account, id)) WITH (toast_tuple_target = 256);
        ALTER TABLE insight ALTER embedding SET STORAGE EXTERNAL;
        CREATE INDEX insight_number ON insight (account, number, id);

        """

    /// What brought the emails of a thread together. A stretch is a time in which emails with a key came, none more than
    /// the window of `Threading` apart.
    private static let threads = """
        CREATE TABLE thread_message (
            account bigint NOT NULL, message bytea NOT NULL, thread bytea NOT NULL,
            PRIMARY KEY (account, message));
        CREATE INDEX thread_message_thread ON thread_message (account, thread);
        CREATE TABLE thread_stretch (
            account bigint NOT NULL, key bytea NOT NULL, thread bytea NOT NULL,
            first double precision NOT NULL, last double precision NOT NULL);
        CREATE INDEX thread_stretch_key ON thread_stretch (account, key, last);
        CREATE INDEX thread_stretch_thread ON thread_stretch (account, thread);

        """

    /// Identities, submissions and documents are in `record`, by the name of their `DataType`.
    private static let records = """
        CREATE TABLE record (
            account bigint NOT NULL, type bytea NOT NULL, id bytea NOT NULL,
            queued double precision NOT NULL, record bytea NOT NULL,
            PRIMARY KEY (account, type, id));
        CREATE TABLE remote (
            account bigint NOT NULL, feed bytea NOT NULL, remote bytea NOT NULL, email bytea NOT NULL,
            PRIMARY KEY (account, feed, remote), UNIQUE (account, email, feed));
        CREATE TABLE contact (
            account bigint NOT NULL, email bytea NOT NULL, name bytea, name_seen double precision,
            frequency bigint NOT NULL, last_seen double precision NOT NULL, folded bytea NOT NULL,
            PRIMARY KEY (account, email));
        CREATE INDEX contact_worst ON contact (account, frequency, last_seen, email);
        CREATE TABLE history (
            account bigint NOT NULL, type bytea NOT NULL,
            oldest bigint NOT NULL, current bigint NOT NULL, count bigint NOT NULL,
            PRIMARY KEY (account, type));
        CREATE TABLE change (
            account bigint NOT NULL, type bytea NOT NULL, number bigint NOT NULL,
            id bytea NOT NULL, kind bigint NOT NULL, only_counts boolean NOT NULL, kernel bytea NOT NULL,
            PRIMARY KEY (account, type, number));

        """

    /// A blob's bytes are in chunks under a name of their own, so that a blob is replaced as a whole.
    private static let blobs = """
        CREATE TABLE blob (
            account bigint NOT NULL, id bytea NOT NULL, upload bytea NOT NULL,
            type bytea NOT NULL, name bytea, size bigint NOT NULL,
            cached boolean NOT NULL, last_use bigint NOT NULL,
            PRIMARY KEY (account, id));
        CREATE INDEX blob_cached ON blob (account, cached, last_use) INCLUDE (size);
        CREATE TABLE blob_chunk (
            account bigint NOT NULL, upload bytea NOT NULL, number bigint NOT NULL, bytes bytea NOT NULL,
            PRIMARY KEY (account, upload, number));
        ALTER TABLE blob_chunk ALTER bytes SET STORAGE EXTERNAL;

        """

    static let tables = ["store", "account", CommitMarks.table, ObjectTable.name] + tablesOfAccounts

    /// Those with rows of an account.
    static let tablesOfAccounts = [
        "mailbox", "email", "email_body", "email_mailbox", "insight", "thread_message", "thread_stretch",
        "record",
        "remote", "contact", "history", "change", "blob", "blob_chunk",
    ]
}
