import FoundationEssentials
import MailKernelAPI

/// Reads what `Mailbox/get` lists.
enum MailboxList {
    private static let rights: [(String, MailboxRights)] = [
        ("mayReadItems", .readItems), ("mayAddItems", .addItems), ("mayRemoveItems", .removeItems),
        ("maySetSeen", .setSeen), ("maySetKeywords", .setKeywords), ("mayCreateChild", .createChild),
        ("mayRename", .rename), ("mayDelete", .delete), ("maySubmit", .submit),
    ]

    /// Parents before children. A mailbox that cannot be read is left out, one whose parent is missing is at the top.
    static func read(_ list: [JSONValue]) -> [RemoteMailbox] {
        var order: [String] = []
        var all: [String: RemoteMailbox] = [:]
        for value in list.prefix(SyncLimits.mailboxes) {
            guard let mailbox = mailbox(value), all[mailbox.id.rawValue] == nil else { continue }
            all[mailbox.id.rawValue] = mailbox
            order.append(mailbox.id.rawValue)
        }
        var roles: Set<Mailbox.Role> = []
        var done: Set<String> = []
        var sorted: [RemoteMailbox] = []
        for id in order {
            // From the mailbox up to one that is listed already; a circle ends where it closes.
            var chain: [String] = []
            var next: String? = id
            while let one = next, all[one] != nil, !done.contains(one), !chain.contains(one) {
                chain.append(one)
                next = all[one]?.parentID?.rawValue
            }
            for one in chain.reversed() {
                guard var mailbox = all[one] else { continue }
                if let parent = mailbox.parentID, !done.contains(parent.rawValue) { mailbox.parentID = nil }
                if let role = mailbox.role, !roles.insert(role).inserted { mailbox.role = nil }
                done.insert(one)
                sorted.append(mailbox)
            }
        }
        return sorted
    }

    private static func mailbox(_ value: JSONValue) -> RemoteMailbox? {
        guard let id = value["id"]?.stringValue, RemoteMailboxID(id).isValid,
            let name = value["name"]?.stringValue, !name.isEmpty
        else { return nil }
        var rights = MailboxRights.all
        if let own = value["myRights"]?.objectValue {
            rights = Self.rights.reduce(into: []) { sum, right in
                if own[right.0]?.boolValue == true { sum.insert(right.1) }
            }
        }
        let parent = value["parentId"]?.stringValue.map { RemoteMailboxID($0) }
        return RemoteMailbox(
            id: RemoteMailboxID(id), name: name, parentID: parent.flatMap { $0.isValid ? $0 : nil },
            role: (value["role"]?.stringValue).flatMap { Mailbox.Role(rawValue: $0.lowercased()) },
            rights: rights)
    }
}
