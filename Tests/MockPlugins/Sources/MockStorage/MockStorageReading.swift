import MailKernelAPI

extension MockStorageBackend {
    func accounts() async throws(StorageError) -> [Account] {
        try await calls.call("accounts") {
            try await real.accounts()
        } garbage: {
            $0 + $0
        }
    }

    func mailboxes(
        _ ids: [Id<Mailbox>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [StoredMailbox] {
        try await calls.call("mailboxes") {
            try await real.mailboxes(ids, in: accountID)
        } garbage: {
            $0 + $0.reversed()
        }
    }

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [StoredEmail] {
        // Each twice, the second time in a mailbox and a thread that do not exist.
        try await calls.call("emails") {
            try await real.emails(ids, in: accountID)
        } garbage: {
            $0 + $0.map(\.astray)
        }
    }

    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody? {
        // Parts that refer to each other's absence.
        try await calls.call("body") {
            try await real.body(of: id, in: accountID)
        } garbage: { _ in
            EmailBody(structure: EmailBodyPart(partID: "nowhere", size: -1, type: ""))
        }
    }

    func threads(
        _ ids: [Id<EmailThread>], in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailThread] {
        try await calls.call("threads") {
            try await real.threads(ids, in: accountID)
        } garbage: {
            $0.map { EmailThread(id: $0.id, emailIDs: []) }
        }
    }

    func identities(
        _ ids: [Id<Identity>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [Identity] {
        try await calls.call("identities") {
            try await real.identities(ids, in: accountID)
        } garbage: {
            $0 + $0
        }
    }

    func submissions(
        _ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailSubmission] {
        try await calls.call("submissions") {
            try await real.submissions(ids, in: accountID)
        } garbage: {
            $0 + $0
        }
    }

    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try await calls.call("queryEmails") {
            try await real.queryEmails(query)
        } garbage: {
            $0.astray
        }
    }

    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges {
        try await calls.call("queryEmailChanges") {
            try await real.queryEmailChanges(query, since: state, limit: limit)
        }
    }

    func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [SearchSnippet] {
        // Not escaped.
        try await calls.call("snippets") {
            try await real.snippets(for: filter, emailIDs: emailIDs, in: accountID)
        } garbage: {
            $0.map {
                SearchSnippet(emailID: $0.emailID, subject: "<script>0</script>", preview: "<mark>")
            }
        }
    }

    func emailIDs(
        for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID: Id<Email>] {
        try await calls.call("emailIDs") {
            try await real.emailIDs(for: remoteIDs, feed: feed, in: accountID)
        }
    }

    func remoteRefs(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteRef] {
        try await calls.call("remoteRefs") {
            try await real.remoteRefs(of: emailIDs, in: accountID)
        } garbage: {
            $0 + $0
        }
    }

    func remoteIDs(
        feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID] {
        // In the wrong order.
        try await calls.call("remoteIDs") {
            try await real.remoteIDs(feed: feed, after: after, limit: limit, in: accountID)
        } garbage: {
            $0.reversed()
        }
    }

    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        try await calls.call("contacts") {
            try await real.contacts(matching: text, limit: limit)
        } garbage: {
            $0 + $0
        }
    }

    func document(_ key: DocumentKey) async throws(StorageError) -> Document? {
        // Of an unknown shape.
        try await calls.call("document") {
            try await real.document(key)
        } garbage: { _ in
            Document(key, value: [nil, [nil]])
        }
    }

    func documents(
        in collection: String, accountID: Id<Account>?, after: String?, limit: Int
    ) async throws(StorageError) -> [Document] {
        try await calls.call("documents") {
            try await real.documents(in: collection, accountID: accountID, after: after, limit: limit)
        } garbage: {
            $0.map { Document($0.key, value: nil) }
        }
    }
}

extension StoredEmail {
    fileprivate var astray: StoredEmail {
        var stored = self
        stored.email.mailboxIDs = [Id("no such mailbox")]
        stored.email.size = -1
        stored.threadID = Id("no such thread")
        return stored
    }
}

extension EmailQueryResult {
    /// Hits twice and one that does not exist, at a place below nothing.
    fileprivate var astray: EmailQueryResult {
        var result = self
        if var stray = result.hits.first {
            stray.emailID = Id("no such email")
            result.hits += result.hits + [stray]
        }
        result.position = -1
        result.total = -1
        return result
    }
}
