import FoundationEssentials
import MailKernelAPI

/// The changes that one commit makes to one account: what it was, what it becomes, and what was
/// touched and has to be compared in the end.
struct AccountCommit {
    let before: AccountContents
    var after: AccountContents
    var emails: Set<Id<Email>> = []
    var threads: Set<Id<EmailThread>> = []
    var mailboxes: Set<Id<Mailbox>> = []
    var identities: Set<Id<Identity>> = []
    var submissions: Set<Id<EmailSubmission>> = []

    init(_ contents: AccountContents) {
        before = contents
        after = contents
    }

    var accountID: Id<Account> { after.account.id }
}

// MARK: Mailboxes

extension AccountCommit {
    mutating func put(_ mailbox: Mailbox) throws(StorageError) {
        var ancestor = mailbox.parentID
        while let id = ancestor {
            guard id != mailbox.id else { throw .invalid(reason: "a mailbox below itself") }
            guard let parent = after.mailboxes[id] else { throw .notFound("mailbox \(id)") }
            ancestor = parent.parentID
        }
        after.mailboxes[mailbox.id] = mailbox
        mailboxes.insert(mailbox.id)
    }

    mutating func destroyMailbox(_ id: Id<Mailbox>) throws(StorageError) {
        guard after.mailboxes[id] != nil else { throw .notFound("mailbox \(id)") }
        guard !after.mailboxes.values.contains(where: { $0.parentID == id }) else {
            throw .invalid(reason: "a mailbox with children cannot be destroyed")
        }
        for record in after.emails.values where record.email.mailboxIDs.contains(id) {
            let others = record.email.mailboxIDs.subtracting([id])
            if others.isEmpty {
                remove(record)
            } else {
                replace(record, by: record.with(keywords: record.email.keywords, mailboxIDs: others))
            }
        }
        after.mailboxes[id] = nil
        mailboxes.insert(id)
    }
}

// MARK: Emails

extension AccountCommit {
    mutating func put(_ email: Email, _ body: EmailBody) throws(StorageError) {
        try checkMailboxes(email.mailboxIDs)
        let former = after.emails[email.id]
        let placement = after.threads.add(email, current: former?.threadID)
        for (threadID, members) in placement.merged {
            threads.insert(threadID)
            for id in members {
                guard let member = after.emails[id] else { continue }
                after.emails[id] = member.inThread(placement.threadID)
                emails.insert(id)
            }
        }
        after.emails[email.id] = EmailRecord(email, body, threadID: placement.threadID)
        emails.insert(email.id)
        threads.insert(placement.threadID)
    }

    mutating func update(_ update: EmailUpdate) throws(StorageError) {
        guard let record = after.emails[update.id] else { throw .notFound("email \(update.id)") }
        let email = record.email
        let mailboxIDs = email.mailboxIDs.subtracting(update.removeMailboxes).union(update.addMailboxes)
        try checkMailboxes(mailboxIDs)
        let keywords = email.keywords.subtracting(update.removeKeywords).union(update.addKeywords)
        replace(record, by: record.with(keywords: keywords, mailboxIDs: mailboxIDs))
    }

    mutating func destroyEmail(_ id: Id<Email>) throws(StorageError) {
        guard let record = after.emails[id] else { throw .notFound("email \(id)") }
        remove(record)
    }

    private func checkMailboxes(_ ids: Set<Id<Mailbox>>) throws(StorageError) {
        guard !ids.isEmpty else { throw .invalid(reason: "an email in no mailbox") }
        for id in ids where after.mailboxes[id] == nil { throw .notFound("mailbox \(id)") }
    }

    private mutating func replace(_ record: EmailRecord, by other: EmailRecord) {
        after.emails[record.email.id] = other
        emails.insert(record.email.id)
        threads.insert(record.threadID)
    }

    mutating func remove(_ record: EmailRecord) {
        let id = record.email.id
        after.emails[id] = nil
        after.threads.remove(id, from: record.threadID)
        after.remotes.removeAll(of: id)
        after.insights[id] = nil
        emails.insert(id)
        threads.insert(record.threadID)
    }
}

// MARK: The rest

extension AccountCommit {
    mutating func put(_ identity: Identity) {
        after.identities[identity.id] = identity
        identities.insert(identity.id)
    }

    mutating func destroyIdentity(_ id: Id<Identity>) throws(StorageError) {
        guard after.identities.removeValue(forKey: id) != nil else { throw .notFound("identity \(id)") }
        identities.insert(id)
    }

    mutating func put(_ submission: EmailSubmission) {
        after.submissions[submission.id] = submission
        submissions.insert(submission.id)
    }

    mutating func destroySubmission(_ id: Id<EmailSubmission>) throws(StorageError) {
        guard after.submissions.removeValue(forKey: id) != nil else { throw .notFound("submission \(id)") }
        submissions.insert(id)
    }

    mutating func put(_ ref: RemoteRef) throws(StorageError) {
        guard after.emails[ref.emailID] != nil else { throw .notFound("email \(ref.emailID)") }
        after.remotes.put(ref)
    }

    /// What the user has chosen stays, whatever a model makes of the email afterwards.
    mutating func put(_ insight: EmailInsight) throws(StorageError) {
        guard after.emails[insight.emailID] != nil else { throw .notFound("email \(insight.emailID)") }
        var insight = insight
        if let former = after.insights[insight.emailID], former.isCorrected, !insight.isCorrected {
            insight.category = former.category
            insight.isCorrected = true
        }
        after.insights[insight.emailID] = insight
    }
}
