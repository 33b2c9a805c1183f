import MailKernelAPI

extension IMAPAccountSession {
    func createMailbox(
        _ name: String, below parent: RemoteMailboxID?
    ) async throws(AccountError) -> RemoteMailboxID {
        let directory = try await list()
        let full = try self.name(name, below: parent, directory)
        if let there = directory[full] { return there.id }
        return try await withConnection(onlyReads: false) { connection throws(AccountError) in
            let answers = try await connection.perform([.create(full), .subscribe(full)])
            // Regardless of the reply, the mailbox exists if it is listed.
            if let made = try await self.list(connection)[full] { return made.id }
            throw answers.first?.error ?? .badAnswer("no answer")
        }
    }

    /// Where messages are kept that are in no other mailbox; made where the server has none.
    func archive() async throws(AccountError) -> MailboxDirectory.Entry {
        if let known = try await knownDirectory()[role: .archive] { return known }
        // Another program may have made one since.
        if let listed = try await list()[role: .archive] { return listed }
        return try await entry(try await createMailbox("Archive", below: nil))
    }

    func renameMailbox(
        _ id: RemoteMailboxID, to name: String, below parent: RemoteMailboxID?
    ) async throws(AccountError) -> RemoteMailboxID {
        let directory = try await list()
        let full = try self.name(name, below: parent, directory)
        guard let old = directory[id] else {
            if let there = directory[full] { return there.id }
            throw .notFound
        }
        guard old.name != full else { return id }
        guard !old.isFixed else { throw .unsupported("renaming this mailbox") }
        try await release(old)
        try await withConnection(onlyReads: false) { connection throws(AccountError) in
            try await connection.leave(old.name)
            _ = try await connection.perform(.rename(old.name, to: full)).orThrow()
            _ = try await connection.perform([.unsubscribe(old.name), .subscribe(full)])
        }
        guard let renamed = try await list()[full] else { throw .notFound }
        return renamed.id
    }

    func deleteMailbox(_ id: RemoteMailboxID) async throws(AccountError) {
        let directory = try await list()
        guard let old = directory[id] else { return }
        guard !old.isFixed else { throw .unsupported("deleting this mailbox") }
        try await moveToTrash(from: old, directory)
        try await release(old)
        let answer = try await withConnection(onlyReads: false) { connection throws(AccountError) in
            try await connection.leave(old.name)
            let answers = try await connection.perform([.delete(old.name), .unsubscribe(old.name)])
            return answers.first
        }
        // One with others below it stays, without its mail.
        if let left = try await list()[id], left.isSelectable, let answer { throw answer.error }
    }

    /// The server would delete all mail in the mailbox, also mail older than the sync window, which the user has never
    /// seen here. In Trash it can be found again.
    private func moveToTrash(
        from old: MailboxDirectory.Entry, _ directory: MailboxDirectory
    ) async throws(AccountError) {
        guard !directory.hasLabels, old.isSelectable, let trash = directory[role: .trash], trash.isSelectable,
            !directory.contains(trash, old)
        else { return }
        let group = try await withMailbox(old.name) { connection, selected throws(AccountError) in
            let uids = selected.exists == 0 ? [] : try await connection.search { $0.raw("ALL") }
            return Group(
                feed: FeedID(old.id.rawValue), validity: selected.validity, uids: UIDSet(uids.sorted()))
        }
        if !group.uids.isEmpty { _ = try await move(group, to: trash.name) }
    }

    private func name(
        _ name: String, below parent: RemoteMailboxID?, _ directory: MailboxDirectory
    ) throws(AccountError) -> MailboxName {
        var above: MailboxDirectory.Entry?
        if let parent {
            guard let entry = directory[parent] else { throw .notFound }
            above = entry
        }
        guard let name = directory.name(name, below: above) else {
            throw .invalid(field: "name", reason: "The server does not support this mailbox name here.")
        }
        return name
    }

    /// Connections must not keep a deleted mailbox selected.
    private func release(_ entry: MailboxDirectory.Entry) async throws(AccountError) {
        plans.removeValue(forKey: FeedID(entry.id.rawValue))?.ahead.cancel()
        flagMemory[FeedID(entry.id.rawValue)] = nil
        await pool.dropIdle(selecting: entry.name)
    }
}

extension IMAPConnection {
    fileprivate func leave(_ name: MailboxName) async throws(AccountError) {
        guard selected?.name == name else { return }
        _ = try await perform(capabilities.contains("UNSELECT") ? .unselect : .select(.inbox))
    }
}
