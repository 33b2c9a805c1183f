import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    /// Adds a message, and destroys the one that it replaces, in one step.
    func append(
        _ source: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(FolderError) -> RemoteAddress {
        try KeywordList.check(keywords)
        let staged = try await stage(source, receivedAt: receivedAt)
        try await change(staged: [staged.id]) { writer throws(FolderError) in
            try writer.need(mailbox)
            try writer.add(staged, to: [mailbox], keywords: keywords, receivedAt: receivedAt)
            if let replacing, let old = try writer.number(of: replacing) { try writer.destroy(old) }
        }
        return RemoteAddress(feed: Self.feed, id: RemoteMessageID(staged.id))
    }

    func fetch(_ id: RemoteMessageID, into sink: any ByteSink) async throws(FolderError) {
        let file = try await reader.run { [paths] database throws(FolderError) -> OpenFile? in
            let isThere =
                try database.integer(
                    "SELECT count(*) FROM message WHERE id = ?", .text(id.rawValue)) ?? 0 > 0
            return isThere ? try paths.open(id.rawValue) : nil
        }
        guard let file else { throw .account(.notFound) }
        let size = try file.size
        var offset = 0
        while offset < size {
            let piece = try await reader.run { [offset] _ throws(FolderError) in
                try file.read(at: offset, count: min(Self.pieceSize / 4, size - offset))
            }
            guard !piece.isEmpty else { throw .unusable("the file of a message is incomplete") }
            offset += piece.count
            do {
                try await sink.write(piece)
            } catch is CancellationError {
                throw .cancelled
            } catch {
                throw .account(.local(reason: String(describing: error)))
            }
        }
    }

    /// Whether a message was handed over here, or is among the sent ones.
    func hasSent(_ messageID: String) async throws(FolderError) -> Bool {
        guard !messageID.isEmpty else { return false }
        return try await reader.run { database throws(FolderError) in
            try database.integer(
                """
                SELECT EXISTS (SELECT 1 FROM sent WHERE message_id = ?1) OR EXISTS (
                    SELECT 1 FROM message JOIN place ON place.message = number
                    WHERE message_id = ?1 AND mailbox = ?2)
                """, .text(messageID), .text(StandardMailbox.id(.sent).rawValue)) ?? 0 > 0
        }
    }
}
