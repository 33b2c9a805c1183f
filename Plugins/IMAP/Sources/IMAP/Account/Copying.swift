import FoundationEssentials
import MailKernelAPI

/// Operations that the server does not support, or not idempotently.
extension IMAPAccountSession {
    /// Copies messages to another mailbox, those that are not there yet: doing it again makes no second
    /// copy. Told apart by the server's ids of messages where it has them, or by Message-ID and size.
    func copy(_ group: Group, to target: MailboxDirectory.Entry) async throws(AccountError) {
        try await copy(group, to: target.name)
    }

    /// Returns the existing ones. Messages that the server does not report are not copied.
    @discardableResult
    func copy(_ group: Group, to target: MailboxName) async throws(AccountError) -> UIDSet {
        let marks = try await marks(of: group)
        let missing = try await withMailbox(target) { connection, _ throws(AccountError) -> [UInt32] in
            var missing: [UInt32] = []
            for mark in marks where try await !connection.hasMessage(mark) { missing.append(mark.uid) }
            return missing
        }
        let there = UIDSet(marks.map(\.uid))
        guard !missing.isEmpty else { return there }
        try await withMessages(group) { connection, _ throws(AccountError) in
            for part in UIDSet(missing).pieces(await connection.messageLimit) {
                _ = try await connection.perform(.copy(part, to: target)).orThrow()
            }
        }
        return there
    }

    private func marks(of group: Group) async throws(AccountError) -> [MessageMark] {
        let name = try await source(of: group.feed).name
        return try await withMailbox(name) { connection, selected throws(AccountError) in
            guard selected.validity == group.validity else { return [] }
            var marks: [MessageMark] = []
            for part in group.uids.pieces(await connection.messageLimit) {
                marks += try await connection.marks(part)
            }
            return marks
        }
    }
}

/// What tells a message from others without its id.
struct MessageMark: Sendable {
    let uid: UInt32
    let size: UInt64
    /// Without its brackets; nil if the message has none.
    let messageID: String?
    /// Of a server that gives all copies of a message the same id.
    let emailID: String?
}

extension IMAPConnection {
    private static let idField = "HEADER.FIELDS (MESSAGE-ID)"

    func marks(_ uids: UIDSet) async throws(AccountError) -> [MessageMark] {
        let emailID = capabilities.contains("OBJECTID") ? "EMAILID " : ""
        let answer = try await fetch(
            uids, "UID \(emailID)RFC822.SIZE BODY.PEEK[\(Self.idField)]"
        ).orThrow()
        return answer.fetched.compactMap { message in
            guard let uid = message.uid, uids.contains(uid) else { return nil }
            let field = message.section(Self.idField)?.bytes.map { String(decoding: $0, as: UTF8.self) }
            return MessageMark(
                uid: uid, size: message.size ?? 0, messageID: field.flatMap(Self.messageID),
                emailID: message.emailID)
        }
    }

    /// The first `<…>`, without the brackets.
    private static func messageID(_ field: String) -> String? {
        guard let open = field.firstIndex(of: "<"),
            let close = field[open...].firstIndex(of: ">")
        else { return nil }
        let id = field[field.index(after: open)..<close]
        return id.isEmpty ? nil : String(id)
    }

    private func hasMessage(_ mark: MessageMark, _ others: [MessageMark]) -> Bool {
        others.contains { $0.messageID == mark.messageID && $0.size == mark.size }
    }

    /// Whether the selected mailbox has this message.
    func hasMessage(_ mark: MessageMark) async throws(AccountError) -> Bool {
        if let id = mark.emailID, Command.isAtom(id) {
            // Two messages can have the same Message-ID and size; their ids on the server differ.
            return try await !search { $0.raw("EMAILID").raw(id) }.isEmpty
        }
        guard let id = mark.messageID else { return false }
        let candidates = try await marks(messageID: id)
        return hasMessage(mark, candidates)
    }

    /// Messages of the selected mailbox with exactly this Message-ID: searches of servers are for parts.
    func marks(messageID: String) async throws(AccountError) -> [MessageMark] {
        let isASCII = messageID.utf8.allSatisfy { $0 < 128 }
        let found = try await search(isASCII: isASCII) {
            $0.raw("HEADER").raw("MESSAGE-ID").astring(messageID)
        }
        guard !found.isEmpty else { return [] }
        return try await marks(UIDSet(found.sorted().suffix(100))).filter { $0.messageID == messageID }
    }

    /// Permanently removes only these messages of the selected mailbox.
    ///
    /// `EXPUNGE` waits for the response to `STORE`: if both are sent together while other clients change the
    /// mailbox, Dovecot may expunge based on outdated flags, and report success.
    func remove(_ uids: UIDSet) async throws(AccountError) {
        for part in uids.pieces(messageLimit) {
            let mark = Command.store(part, adds: true, flags: ["\\Deleted"])
            if capabilities.contains("UIDPLUS") {
                _ = try await perform(mark).orThrow()
                _ = try await perform(.expunge(part)).orThrow()
                continue
            }
            // `EXPUNGE` takes all that are marked: those of others are spared for that moment.
            let others = UIDSet(try await search { $0.raw("DELETED") }.filter { !part.contains($0) })
            if !others.isEmpty {
                _ = try await perform(.store(others, adds: false, flags: ["\\Deleted"])).orThrow()
            }
            _ = try await perform(mark).orThrow()
            _ = try await perform(.expunge).orThrow()
            if !others.isEmpty {
                _ = try await perform(.store(others, adds: true, flags: ["\\Deleted"])).orThrow()
            }
        }
    }
}
