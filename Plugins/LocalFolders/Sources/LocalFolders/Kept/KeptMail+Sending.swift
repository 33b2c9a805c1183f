import FoundationEssentials
import MailKernelAPI

/// What is known about a message that was to be sent.
public enum SentState: Sendable, Hashable {
    case sent, notSent
    /// It was handed over, and what became of it is not known.
    case unknown
}

// A server without folders has no place to look for sent mail, so it is noted here.
extension KeptMail {
    /// Notes that a message is about to be handed over.
    ///
    /// - Returns: its Message-ID, for `noteEnd`.
    public func noteSending(_ message: any ByteSource) async throws(AccountError) -> String? {
        try await forTheKernel { () throws(FolderError) in
            var pieces = message.pieces(of: MessageHeader.limit)
            let id = MessageHeader(try await pieces.take() ?? Data()).messageID
            try await folder().change { writer throws(FolderError) in
                guard let id else { return }
                try writer.database.run("INSERT OR IGNORE INTO underway VALUES (?)", .text(id))
            }
            return id
        }
    }

    public func noteEnd(ofSending id: String?, _ state: SentState) async throws(AccountError) {
        guard let id, state != .unknown else { return }
        try await forTheKernel { () throws(FolderError) in
            try await folder().change { writer throws(FolderError) in
                try writer.database.run("DELETE FROM underway WHERE message_id = ?", .text(id))
                guard state == .sent else { return }
                try writer.database.run("INSERT OR IGNORE INTO sent VALUES (?)", .text(id))
            }
        }
    }

    public func state(ofSending messageID: String) async throws(AccountError) -> SentState {
        try await forTheKernel { () throws(FolderError) in
            let id = MessageHeader.bare(messageID)
            let folder = try await folder()
            if try await folder.hasSent(id) { return .sent }
            return try await folder.reader.run { database throws(FolderError) in
                let count = try database.integer(
                    "SELECT count(*) FROM underway WHERE message_id = ?", .text(id))
                return count ?? 0 > 0 ? .unknown : .notSent
            }
        }
    }
}
