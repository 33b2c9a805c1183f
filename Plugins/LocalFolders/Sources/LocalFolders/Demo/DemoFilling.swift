import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    /// Puts the demo's mail into a folder, once: in one step, so that it is there as a whole or not at all.
    func fill(for person: DemoPerson, now: Date) async throws(FolderError) {
        let isFilled = try await reader.run { database throws(FolderError) in
            try database.integer("SELECT demo FROM state") != 0
        }
        if isFilled { return }
        let copies = DemoWorld(now: now).mail(of: person)
        let staged = try await write(copies)
        try await change(staged: staged.map(\.id)) { writer throws(FolderError) in
            // Another session may have been quicker.
            guard try writer.database.integer("SELECT demo FROM state") == 0 else { return }
            var made: [[String]: RemoteMailboxID] = [:]
            for (copy, message) in zip(copies, staged) {
                var mailboxIDs: Set = [StandardMailbox.id(copy.place)]
                for label in copy.labels { mailboxIDs.insert(try writer.mailbox(label, &made)) }
                try writer.add(message, to: mailboxIDs, keywords: copy.keywords, receivedAt: copy.receivedAt)
            }
            try writer.database.run("UPDATE state SET demo = 1")
        }
    }

    private func write(_ copies: [DemoCopy]) async throws(FolderError) -> [StagedMessage] {
        try await writer.run { [paths] _ throws(FolderError) in
            var staged: [StagedMessage] = []
            do throws(FolderError) {
                for copy in copies {
                    let message = try IncomingMessage(paths)
                    try message.write(copy.bytes)
                    staged.append(try message.finish(receivedAt: copy.receivedAt, isDurable: false))
                }
                try OpenFile.folder(paths.incoming).synchronizeFileSystem()
            } catch {
                for message in staged { _ = try? Folders.remove(paths.incoming(message.id)) }
                throw error
            }
            return staged
        }
    }
}

extension IndexWriter {
    /// The mailbox of this name, and those above it, made if need be.
    fileprivate func mailbox(
        _ path: [String], _ made: inout [[String]: RemoteMailboxID]
    ) throws(FolderError) -> RemoteMailboxID {
        if let there = made[path] { return there }
        let above = Array(path.dropLast())
        let parent = above.isEmpty ? nil : try mailbox(above, &made)
        let id = try createMailbox(path.last ?? "", below: parent)
        made[path] = id
        return id
    }
}
