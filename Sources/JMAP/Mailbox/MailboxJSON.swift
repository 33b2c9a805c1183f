import Mail
import MailKernelAPI

extension StoredMailbox {
    /// A Mailbox object (RFC 8621, section 2).
    var json: [String: JSONValue] { json(role: mailbox.role?.rawValue) }

    func json(role: String?) -> [String: JSONValue] {
        [
            "id": .string(mailbox.id.rawValue),
            "name": .string(mailbox.name),
            "parentId": mailbox.parentID.map { .string($0.rawValue) } ?? .null,
            "role": role.map { .string($0) } ?? .null,
            "sortOrder": .number(Double(mailbox.sortOrder)),
            "totalEmails": .number(Double(counts.totalEmails)),
            "unreadEmails": .number(Double(counts.unreadEmails)),
            "totalThreads": .number(Double(counts.totalThreads)),
            "unreadThreads": .number(Double(counts.unreadThreads)),
            "myRights": mailbox.rights.json,
            "isSubscribed": .bool(mailbox.isSubscribed),
        ]
    }
}

extension [Mailbox] {
    /// The roles of these mailboxes, which are all of an account, by their names in JMAP.
    var roles: [Id<Mailbox>: String] {
        var roles: [Id<Mailbox>: String] = [:]
        for mailbox in self { roles[mailbox.id] = mailbox.role?.rawValue }
        if let snoozed = SnoozedMailbox.among(self) { roles[snoozed.id] = SnoozedMailbox.role }
        return roles
    }
}

extension MailboxRights {
    fileprivate var json: JSONValue {
        [
            "mayReadItems": .bool(contains(.readItems)),
            "mayAddItems": .bool(contains(.addItems)),
            "mayRemoveItems": .bool(contains(.removeItems)),
            "maySetSeen": .bool(contains(.setSeen)),
            "maySetKeywords": .bool(contains(.setKeywords)),
            "mayCreateChild": .bool(contains(.createChild)),
            "mayRename": .bool(contains(.rename)),
            "mayDelete": .bool(contains(.delete)),
            "maySubmit": .bool(contains(.submit)),
        ]
    }
}
