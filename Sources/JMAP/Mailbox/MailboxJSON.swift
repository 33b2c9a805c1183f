import MailKernelAPI

extension StoredMailbox {
    /// A Mailbox object (RFC 8621, section 2).
    var json: [String: JSONValue] {
        [
            "id": .string(mailbox.id.rawValue),
            "name": .string(mailbox.name),
            "parentId": mailbox.parentID.map { .string($0.rawValue) } ?? .null,
            "role": mailbox.role.map { .string($0.rawValue) } ?? .null,
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
