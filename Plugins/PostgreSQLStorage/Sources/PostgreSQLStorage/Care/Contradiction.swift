/// Something that must not be in the tables: how to count it, and what to tell the user.
struct Contradiction {
    var sql = ""
    let one: String
    let many: String
    let remedy: String

    func sentence(_ count: Int) -> String {
        (count == 1 ? one : "\(count) \(many)") + " " + remedy
    }

    private static let again =
        "Restore a backup of the database, or remove the account in Settings and add it again."
    private static let rebuilding = "“mailkernel storage rebuild-search” repairs this."

    static let counts = Contradiction(
        one: "The counts of a mailbox do not match its messages.",
        many: "mailboxes have counts that do not match their messages.", remedy: again)
    static let words = Contradiction(
        one: "A message has other words in the search index than in its text.",
        many: "messages have other words in the search index than in their texts.", remedy: rebuilding)
    static let records = Contradiction(
        one: "A record cannot be read.", many: "records cannot be read.", remedy: again)

    static let all = messages + lists + attachments + sums
}

// MARK: Messages

extension Contradiction {
    private static let messages = [
        Contradiction(
            sql: """
                SELECT count(*) FROM email e WHERE NOT EXISTS (
                    SELECT 1 FROM email_body b WHERE b.account = e.account AND b.id = e.id)
                """, one: "A message has no text.", many: "messages have no text.", remedy: again),
        Contradiction(
            sql: "SELECT " + leftBehind.map { "(SELECT count(*) FROM \($0))" }.joined(separator: " + "),
            one: "A row of a removed message or account was left behind.",
            many: "rows of removed messages or accounts were left behind.",
            remedy: again),
    ]

    private static let leftBehind =
        ["email_body", "email_mailbox", "insight"].map {
            "\($0) t WHERE NOT EXISTS (SELECT 1 FROM email e WHERE e.account = t.account AND e.id = t.id)"
        }
        + ["thread_message", "thread_stretch"].map {
            "\($0) t WHERE NOT EXISTS (SELECT 1 FROM email e WHERE e.account = t.account AND e.thread = t.thread)"
        }
        + [
            "remote t WHERE NOT EXISTS (SELECT 1 FROM email e WHERE e.account = t.account AND e.id = t.email)"
        ]
        + ["mailbox", "email", "record", "contact", "history", "change", "blob"].map {
            "\($0) t WHERE t.account > 0 AND NOT EXISTS (SELECT 1 FROM account a WHERE a.account = t.account)"
        }
}

// MARK: Mailboxes

extension Contradiction {
    private static let lists = [
        Contradiction(
            sql: """
                SELECT (SELECT count(*) FROM email e, unnest(e.mailboxes) u (mailbox) WHERE NOT EXISTS (
                    SELECT 1 FROM email_mailbox m WHERE m.account = e.account AND m.mailbox = u.mailbox
                    AND m.id = e.id AND m.received = e.received))
                + (SELECT count(*) FROM email_mailbox m JOIN email e ON e.account = m.account AND e.id = m.id
                    WHERE NOT e.mailboxes @> ARRAY[m.mailbox])
                """, one: "A message is missing from the list of a mailbox, or is in a list by mistake.",
            many: "messages are missing from the list of a mailbox, or are in a list by mistake.",
            remedy: again),
        Contradiction(
            sql: """
                SELECT count(*) FROM email_mailbox m WHERE NOT EXISTS (
                    SELECT 1 FROM mailbox b WHERE b.account = m.account AND b.id = m.mailbox)
                """, one: "A message is in a mailbox that does not exist.",
            many: "messages are in a mailbox that does not exist.", remedy: again),
    ]
}

// MARK: Attachments

extension Contradiction {
    private static let attachments = [
        Contradiction(
            sql: incompleteBlobs(cached: true), one: "A cached attachment is incomplete.",
            many: "cached attachments are incomplete.",
            remedy: "Clear the cache in Settings: attachments are then downloaded again."),
        Contradiction(
            sql: incompleteBlobs(cached: false), one: "A draft's or an upload's data is incomplete.",
            many: "drafts or uploads have incomplete data.",
            remedy: "Restore a backup of the database: this data is nowhere else."),
        Contradiction(
            sql: """
                SELECT count(*) FROM blob_chunk c WHERE NOT EXISTS (
                    SELECT 1 FROM blob b WHERE b.account = c.account AND b.upload = c.upload)
                """, one: "A piece of a removed attachment was left behind.",
            many: "pieces of removed attachments were left behind.",
            remedy: "They take room and do no other harm."),
    ]

    private static func incompleteBlobs(cached: Bool) -> String {
        """
        SELECT count(*) FROM blob b WHERE b.cached = \(cached) AND b.size <> (
            SELECT coalesce(sum(octet_length(c.bytes)), 0) FROM blob_chunk c
            WHERE c.account = b.account AND c.upload = b.upload)
        AND NOT EXISTS (SELECT 1 FROM blob_object o WHERE o.account = b.account AND o.upload = b.upload)
        """
    }
}

// MARK: Sums and states

extension Contradiction {
    private static let sums = [
        Contradiction(
            sql: """
                SELECT count(*) FROM account a WHERE (mail_bytes, index_bytes) <> (
                    SELECT coalesce(sum(e.mail_bytes), 0)::bigint, coalesce(sum(e.index_bytes), 0)::bigint
                    FROM email e WHERE e.account = a.account)
                OR (insight_bytes, corrected_bytes) <> (
                    SELECT coalesce(sum(i.bytes) FILTER (WHERE NOT corrected), 0)::bigint,
                        coalesce(sum(i.bytes) FILTER (WHERE corrected), 0)::bigint
                    FROM insight i WHERE i.account = a.account)
                """, one: "Settings shows a wrong size for an account.",
            many: "accounts have a wrong size in Settings.", remedy: rebuilding),
        Contradiction(
            sql: """
                SELECT count(*) FROM history h WHERE (h.count, h.count > 0) <> (
                    SELECT count(*), coalesce(max(c.number) = h.current AND min(c.number) > h.oldest, false)
                    FROM change c WHERE c.account = h.account AND c.type = h.type)
                OR h.current > (SELECT CASE WHEN h.account = 0 THEN (SELECT last_change FROM store)
                    ELSE (SELECT last_change FROM account a WHERE a.account = h.account) END)
                """, one: "The list of changes of one kind of record has gaps.",
            many: "lists of changes have gaps.", remedy: again),
        Contradiction(
            sql: """
                SELECT count(*) FROM change c WHERE NOT EXISTS (
                    SELECT 1 FROM history h WHERE h.account = c.account AND h.type = c.type)
                """, one: "A change belongs to no list of changes.",
            many: "changes belong to no list of changes.", remedy: again),
    ]
}
