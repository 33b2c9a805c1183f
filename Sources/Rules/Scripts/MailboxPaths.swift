import MailKernelAPI
import Sieve

/// The mailboxes of an account by the names that rules call them, such as `Lists/Swift`.
package struct MailboxPaths: Sendable {
    private let byPath: [String: Mailbox]
    private let paths: [Id<Mailbox>: String]

    package init(_ mailboxes: [Mailbox]) {
        let byID = Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first }
        var paths: [Id<Mailbox>: String] = [:]
        for mailbox in mailboxes {
            var names = [mailbox.name]
            var parent = mailbox.parentID.flatMap { byID[$0] }
            while let above = parent, names.count < 64 {
                names.append(above.name)
                parent = above.parentID.flatMap { byID[$0] }
            }
            paths[mailbox.id] = names.reversed().joined(separator: "/")
        }
        self.paths = paths
        byPath = Dictionary(mailboxes.map { (paths[$0.id] ?? $0.name, $0) }) { first, _ in first }
    }

    package subscript(path: String) -> Mailbox? {
        let folded = Self.folded(path)
        if Self.isInbox(folded) { return first(.inbox) }
        return byPath[path] ?? byPath.first { $0.key.lowercased() == folded }?.value
    }

    package func path(of id: Id<Mailbox>) -> String? { paths[id] }

    package func first(_ role: Mailbox.Role) -> Mailbox? {
        byPath.values.filter { $0.role == role }.min { ($0.sortOrder, $0.id) < ($1.sortOrder, $1.id) }
    }

    /// What rules that people see call archive and Trash.
    package var places: SieveRulePlaces {
        var places = SieveRulePlaces()
        if let archive = first(.archive).flatMap({ path(of: $0.id) }) { places.archive = archive }
        if let trash = first(.trash).flatMap({ path(of: $0.id) }) { places.trash = trash }
        return places
    }

    /// The names in a path, from the top down.
    static func names(in path: String) -> [String] { path.split(separator: "/").map(String.init) }

    /// Equal for paths of one mailbox.
    static func folded(_ path: String) -> String { names(in: path).joined(separator: "/").lowercased() }

    static func isInbox(_ path: String) -> Bool { path.lowercased() == "inbox" }
}
