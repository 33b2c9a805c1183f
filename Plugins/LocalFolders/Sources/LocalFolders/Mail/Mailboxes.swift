import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    func mailboxes() async throws(FolderError) -> [RemoteMailbox] {
        try await reader.run { database throws(FolderError) in try MailboxTable(database).parentsFirst() }
    }
}

/// The mailboxes of an account as the index has them.
struct MailboxTable {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    func all() throws(FolderError) -> [RemoteMailbox] {
        try database.rows("SELECT id, name, parent, role FROM mailbox ORDER BY position, name") { row in
            let role = row.textOrNil(3).flatMap(Mailbox.Role.init)
            return RemoteMailbox(
                id: RemoteMailboxID(row.text(0)), name: row.text(1),
                parentID: row.textOrNil(2).map { RemoteMailboxID($0) }, role: role,
                rights: role == nil ? .all : .all.subtracting([.rename, .delete]))
        }
    }

    func parentsFirst() throws(FolderError) -> [RemoteMailbox] {
        let children = Dictionary(grouping: try all(), by: \.parentID)
        var ordered: [RemoteMailbox] = []
        var waiting = (children[nil] ?? []).reversed() as [RemoteMailbox]
        while let next = waiting.popLast() {
            ordered.append(next)
            waiting += (children[next.id] ?? []).reversed()
        }
        return ordered
    }
}

extension IndexWriter {
    /// An existing mailbox of this name in this place is returned.
    func createMailbox(
        _ name: String, below parent: RemoteMailboxID?
    ) throws(FolderError) -> RemoteMailboxID {
        try check(name, below: parent)
        if let there = try mailbox(named: name, below: parent) { return there }
        let id = RemoteMailboxID("m" + MailPaths.newID())
        try database.run(
            "INSERT INTO mailbox VALUES (?, ?, ?, NULL, ?)", .text(id.rawValue), .text(name),
            .optional(parent?.rawValue), .integer(StandardMailbox.all.count))
        try noteMailboxes()
        return id
    }

    func renameMailbox(
        _ id: RemoteMailboxID, _ name: String, below parent: RemoteMailboxID?
    ) throws(FolderError) {
        let mailboxes = try MailboxTable(database).all()
        guard let old = mailboxes.first(where: { $0.id == id }) else { throw .account(.notFound) }
        try check(name, below: parent)
        if old.name == name, old.parentID == parent { return }
        guard old.rights.contains(.rename) else {
            throw .account(.refused("“\(old.name)” cannot be renamed."))
        }
        if let other = try mailbox(named: name, below: parent), other != id {
            throw .account(.refused("Another mailbox is already named “\(name)”."))
        }
        let parents = Dictionary(uniqueKeysWithValues: mailboxes.map { ($0.id, $0.parentID) })
        var next = parent
        while let current = next {
            if current == id { throw .account(.refused("A mailbox cannot be moved into itself.")) }
            next = parents[current] ?? nil
        }
        try database.run(
            "UPDATE mailbox SET name = ?, parent = ? WHERE id = ?", .text(name),
            .optional(parent?.rawValue), .text(id.rawValue))
        try noteMailboxes()
    }

    func deleteMailbox(_ id: RemoteMailboxID) throws(FolderError) {
        let mailboxes = try MailboxTable(database).all()
        guard let mailbox = mailboxes.first(where: { $0.id == id }) else { return }
        guard mailbox.rights.contains(.delete) else {
            throw .account(.refused("“\(mailbox.name)” cannot be deleted."))
        }
        guard !mailboxes.contains(where: { $0.parentID == id }) else {
            throw .account(.refused("“\(mailbox.name)” contains other mailboxes."))
        }
        let inside = try database.rows(
            "SELECT message FROM place WHERE mailbox = ?", [.text(id.rawValue)], { $0.int64(0) })
        for number in inside {
            let others = try self.mailboxes(of: number).subtracting([id])
            if others.isEmpty { try destroy(number) } else { try setMailboxes(others, of: number) }
        }
        try database.run("DELETE FROM mailbox WHERE id = ?", .text(id.rawValue))
        try noteMailboxes()
    }

    private func mailbox(
        named name: String, below parent: RemoteMailboxID?
    ) throws(FolderError) -> RemoteMailboxID? {
        try database.first(
            "SELECT id FROM mailbox WHERE name = ? AND parent IS ?",
            [.text(name), .optional(parent?.rawValue)],
            { RemoteMailboxID($0.text(0)) })
    }

    private func check(_ name: String, below parent: RemoteMailboxID?) throws(FolderError) {
        let isBlank = name.allSatisfy(\.isWhitespace)
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !isBlank, !hasControls, name.utf8.count <= 1_000 else {
            throw .account(.refused("A mailbox name must have 1 to 1,000 bytes, on one line."))
        }
        if let parent { try need(parent) }
    }
}
