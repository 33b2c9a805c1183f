import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The changes of one commit to the mail of one account. They are made in memory, and written at the end.
final class AccountCommit {
    let number: Int
    private let connection: Connection
    private let mail: MailImage
    private let threads: ThreadImage
    private var mailboxes: MailboxImage
    private var emails: EmailChanges
    private var insights: InsightImage
    private var remotes = RemoteImage()
    /// The bytes that the account takes more than before, once this is finished.
    private(set) var usage = Usage()

    /// Reads at once what `changes`, those of this account, will need.
    init(_ number: Int, _ connection: Connection, _ changes: [StorageChange]) throws(StorageError) {
        self.number = number
        self.connection = connection
        mail = MailImage(connection, number)
        threads = ThreadImage(mail)
        emails = EmailChanges(mail, number, connection)
        let put = changes.compactMap { if case .putEmail(let email, _) = $0 { email } else { nil } }
        // All in one exchange with the server.
        let mailboxes = try MailboxImage.ask(connection, number)
        let insights = try InsightImage.ask(connection, number, changes.compactMap(\.emailOfInsight))
        let touched = try mail.ask(emails: changes.compactMap(\.touchedEmail) + put.map(\.id))
        let connecting = try ThreadImage.ask(for: put, connection, number)
        self.mailboxes = try MailboxImage(connection, mailboxes)
        self.insights = try InsightImage(connection, number, insights)
        try mail.load(touched)
        try threads.load(connecting, connection)
    }

    /// Writes everything, and returns the differences type by type.
    ///
    /// - Parameter last: the number of the account's last change before this commit.
    func finish(last: Int) throws(StorageError) -> [[RecordChange]] {
        try mailboxes.count(mail)
        let differences = [
            mailboxes.differences(), try emails.differences(), emails.threadDifferences(),
        ]
        usage = try emails.write()
        usage += try insights.write(number: last)
        try threads.write(connection, number)
        try remotes.write(connection, number)
        try mailboxes.write(connection, number)
        return differences.filter { !$0.isEmpty }
    }
}

// MARK: Insights

extension AccountCommit {
    /// Whether queries for categories may have other answers.
    var isCategorized: Bool { insights.isTouched }

    func put(_ insight: EmailInsight) throws(StorageError) {
        guard try mail.email(insight.emailID) != nil else { throw .notFound("email \(insight.emailID)") }
        insights.put(insight)
    }
}

// MARK: Mailboxes

extension AccountCommit {
    func put(_ mailbox: Mailbox) throws(StorageError) { try mailboxes.put(mailbox) }

    func destroyMailbox(_ id: Id<Mailbox>) throws(StorageError) {
        try mailboxes.checkCanGo(id)
        try mail.load(mailbox: id)
        for (email, place) in mail.emails where place.mailboxes.contains(id) {
            var place = place
            place.mailboxes.remove(id)
            if place.mailboxes.isEmpty { remove(email) } else { mail.set(email, place) }
        }
        mailboxes.remove(id)
    }

    private func check(_ ids: Set<Id<Mailbox>>) throws(StorageError) {
        guard !ids.isEmpty else { throw .invalid(reason: "an email in no mailbox") }
        for id in ids where !mailboxes.isThere(id) { throw .notFound("mailbox \(id)") }
    }
}

// MARK: Emails

extension AccountCommit {
    func put(_ email: Email, _ body: EmailBody) throws(StorageError) {
        try check(email.mailboxIDs)
        let thread = try threads.join(email, current: try mail.email(email.id)?.thread)
        mail.set(
            email.id,
            EmailPlace(
                thread: thread, received: email.receivedAt, mailboxes: email.mailboxIDs,
                keywords: email.keywords))
        emails.put(PackedMessage(email, body), email.id)
    }

    func update(_ update: EmailUpdate) throws(StorageError) {
        guard var place = try mail.email(update.id) else { throw .notFound("email \(update.id)") }
        place.mailboxes = place.mailboxes.subtracting(update.removeMailboxes).union(update.addMailboxes)
        try check(place.mailboxes)
        place.keywords = place.keywords.subtracting(update.removeKeywords).union(update.addKeywords)
        mail.set(update.id, place)
    }

    func destroyEmail(_ id: Id<Email>) throws(StorageError) {
        guard try mail.email(id) != nil else { throw .notFound("email \(id)") }
        remove(id)
    }

    private func remove(_ id: Id<Email>) {
        guard let place = mail.emails[id] else { return }
        mail.set(id, nil)
        emails.put(nil, id)
        insights.remove(id)
        if mail.threads[place.thread]?.isEmpty ?? true { threads.forget(place.thread) }
        remotes.remove(id)
    }

    func put(_ ref: RemoteRef) throws(StorageError) {
        guard try mail.email(ref.emailID) != nil else { throw .notFound("email \(ref.emailID)") }
        remotes.put(ref)
    }

    func removeRemote(_ remoteID: RemoteMessageID, feed: FeedID) { remotes.remove(remoteID, feed) }
}

// MARK: Contacts

extension AccountCommit {
    private static let contactLimit = 10_000
    /// Longer ones cannot be in an index, and are no addresses.
    private static let longestAddress = 1_000

    func count(_ sightings: [ContactSighting]) throws(StorageError) {
        let seen = SeenContact.all(in: sightings).filter { $0.key.utf8.count <= Self.longestAddress }
            .sorted { $0.key < $1.key }
        try connection.send(
            """
            INSERT INTO contact AS c SELECT $1, u.email, nullif(u.name, ''), nullif(u.name_seen, '-infinity'),
                u.frequency, u.last_seen, u.folded
            FROM unnest($2::bytea[], $3::bytea[], $4::double precision[], $5::bigint[], $6::double precision[],
                $7::bytea[]) u (email, name, name_seen, frequency, last_seen, folded)
            ON CONFLICT (account, email) DO UPDATE
            SET frequency = c.frequency + excluded.frequency, last_seen = greatest(c.last_seen, excluded.last_seen),
                name = CASE WHEN excluded.name_seen >= coalesce(c.name_seen, excluded.name_seen)
                    THEN excluded.name ELSE c.name END,
                folded = CASE WHEN excluded.name_seen >= coalesce(c.name_seen, excluded.name_seen)
                    THEN excluded.folded ELSE c.folded END,
                name_seen = greatest(excluded.name_seen, c.name_seen)
            """, .integer(number), .strings(seen.map(\.key)), .strings(seen.map { $0.value.name ?? "" }),
            .reals(seen.map { $0.value.nameSeen?.timeIntervalSinceReferenceDate ?? -.infinity }),
            .integers(seen.map(\.value.count)),
            .reals(seen.map { $0.value.lastSeen.timeIntervalSinceReferenceDate }),
            .strings(seen.map { Contact.folded(email: $0.key, name: $0.value.name) }))
        try connection.send(
            """
            DELETE FROM contact WHERE account = $1 AND email IN (
                SELECT email FROM contact WHERE account = $1 ORDER BY frequency, last_seen, email
                LIMIT greatest(0, (SELECT count(*) FROM contact WHERE account = $1) - $2))
            """, .integer(number), .integer(Self.contactLimit))
    }
}
