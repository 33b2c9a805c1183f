import MailKernelAPI
import StoreRules

/// The folders of an account as a person names them.
struct FolderNames: Sendable {
    private var ids: [String: [Id<Mailbox>]] = [:]
    /// As they are shown, with their parents.
    private(set) var titles: [String] = []

    init(_ mailboxes: [Mailbox]) {
        let byID = Dictionary(mailboxes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for mailbox in mailboxes {
            let path = Self.path(of: mailbox, byID)
            titles.append(path)
            for name in Set([Self.key(mailbox.name), Self.key(path)]) {
                ids[name, default: []].append(mailbox.id)
            }
        }
        // Among labels it has another name than people know it by.
        let snoozed = Self.key(SnoozedMailbox.role)
        if let mailbox = SnoozedMailbox.among(mailboxes), ids[snoozed]?.contains(mailbox.id) != true {
            ids[snoozed, default: []].append(mailbox.id)
        }
    }

    /// Those with this name, alone or with the names of its parents.
    func ids(named name: String) -> [Id<Mailbox>] {
        ids[Self.key(name)] ?? []
    }

    private static func path(of mailbox: Mailbox, _ byID: [Id<Mailbox>: Mailbox]) -> String {
        var names = [mailbox.name]
        var parent = mailbox.parentID
        // A service can make circles.
        while let id = parent, let above = byID[id], names.count < 32 {
            names.insert(above.name, at: 0)
            parent = above.parentID
        }
        return names.joined(separator: "/")
    }

    /// Gmail writes `label:my-receipts` for “My receipts” and `label:work-receipts` for “Work/Receipts”.
    static func key(_ name: String) -> String {
        TextFolding.fold(
            String(name.map { $0 == "/" || $0 == "-" || $0 == "_" || $0.isWhitespace ? " " : $0 }))
    }
}
