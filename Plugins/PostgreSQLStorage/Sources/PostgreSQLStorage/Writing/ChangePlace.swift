import MailKernelAPI

extension StorageChange {
    /// Nil for what belongs to no account.
    var accountID: Id<Account>? {
        switch self {
        case .putAccount(let account): account.id
        case .putMailbox(let mailbox): mailbox.accountID
        case .putEmail(let email, _): email.accountID
        case .updateEmail(let update): update.accountID
        case .putIdentity(let identity): identity.accountID
        case .putSubmission(let submission): submission.accountID
        case .putRemote(let ref): ref.accountID
        case .putInsight(let insight): insight.accountID
        case .putDocument(let document): document.key.accountID
        case .destroyDocument(let key): key.accountID
        case .destroyMailbox(_, let id), .destroyEmail(_, let id), .destroyIdentity(_, let id),
            .destroySubmission(_, let id), .removeRemote(_, _, let id), .countContacts(_, let id):
            id
        }
    }

    var isOfAccounts: Bool { if case .putAccount = self { true } else { false } }

    /// The identity, submission or document that it changes.
    var record: (type: DataType, id: String)? {
        switch self {
        case .putIdentity(let identity): (.identity, identity.id.rawValue)
        case .destroyIdentity(let id, _): (.identity, id.rawValue)
        case .putSubmission(let submission): (.submission, submission.id.rawValue)
        case .destroySubmission(let id, _): (.submission, id.rawValue)
        case .putDocument(let document): (.documents(document.key.collection), document.key.name)
        case .destroyDocument(let key): (.documents(key.collection), key.name)
        case .putAccount, .putMailbox, .destroyMailbox, .putEmail, .updateEmail, .destroyEmail, .putRemote,
            .removeRemote, .countContacts, .putInsight:
            nil
        }
    }

    /// The email whose insight it puts.
    var emailOfInsight: Id<Email>? {
        if case .putInsight(let insight) = self { insight.emailID } else { nil }
    }

    /// The email that it needs, but does not put.
    var touchedEmail: Id<Email>? {
        switch self {
        case .updateEmail(let update): update.id
        case .destroyEmail(let id, _): id
        case .putRemote(let ref): ref.emailID
        case .putInsight(let insight): insight.emailID
        case .putAccount, .putMailbox, .destroyMailbox, .putEmail, .putIdentity, .destroyIdentity,
            .putSubmission,
            .destroySubmission, .removeRemote, .countContacts, .putDocument, .destroyDocument:
            nil
        }
    }
}
