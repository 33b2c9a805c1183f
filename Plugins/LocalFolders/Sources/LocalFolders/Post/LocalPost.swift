import FoundationEssentials
import MailKernelAPI

/// Delivers mail among the accounts of this device.
struct LocalPost: Sendable {
    let accounts: LocalAccounts
    let clock: any HostClock
    let log: PluginLog

    /// Puts a message into the inbox of every recipient, and a failure report into the sender's for those
    /// that do not exist. The message is not modified.
    ///
    /// If it is interrupted and called again, it delivers only what is missing.
    func send(
        _ message: any ByteSource, _ envelope: Envelope, from sender: LocalAddress, _ own: MailFolder
    ) async throws(FolderError) -> SubmissionOutcome {
        guard LocalAddress(envelope.mailFrom)?.normal == sender.normal else {
            let reply = SubmissionReply(
                code: 553, enhancedCode: "5.7.1", text: "This account can only send as \(sender.text).")
            return .rejected(reply, refused: [:])
        }
        guard !envelope.rcptTo.isEmpty else {
            return .rejected(
                SubmissionReply(code: 554, enhancedCode: "5.5.1", text: "The message has no recipients."),
                refused: [:])
        }
        // Read once, into the sender's folder: an unreadable message is not sent.
        let copy = try await own.stage(message, receivedAt: clock.now, isDurable: false)
        defer { own.discard([copy.id]) }
        let digest = copy.digest
        let isRetry = try await own.change { writer throws(FolderError) in
            try writer.database.run("INSERT OR IGNORE INTO sending VALUES (?)", .blob(digest))
            return writer.database.changes == 0
        }
        let source = FileSource(own.paths.incoming(copy.id), size: copy.size)
        let unknown = try await deliver(source, digest, to: envelope.rcptTo, isRetry: isRetry, sender, own)
        if !unknown.isEmpty {
            let bounce = Bounce(of: try await source.beginning(), to: sender, unknown, at: clock.now)
            try await deliver(
                DataSource(bounce.bytes), Self.bounceKey(digest), into: own, isRetry: isRetry)
        }
        try await own.change { writer throws(FolderError) in
            if let id = copy.messageID {
                try writer.database.run("INSERT OR IGNORE INTO sent VALUES (?)", .text(id))
            }
            try writer.database.run("DELETE FROM sending WHERE digest = ?", .blob(digest))
        }
        return .accepted(
            SubmissionReply(code: 250, enhancedCode: "2.0.0", text: "Delivered on this device."), refused: [:]
        )
    }

    /// Returns the recipients that there are none of.
    private func deliver(
        _ source: any ByteSource, _ digest: Data, to recipients: [String], isRetry: Bool,
        _ sender: LocalAddress, _ own: MailFolder
    ) async throws(FolderError) -> [String] {
        var unknown: [String] = []
        var done: Set<String> = []
        for recipient in recipients {
            guard let address = LocalAddress(recipient), accounts.has(address) else {
                if done.insert(recipient.lowercased()).inserted { unknown.append(recipient) }
                continue
            }
            guard done.insert(address.normal).inserted else { continue }
            if address.normal == sender.normal {
                try await deliver(source, digest, into: own, isRetry: isRetry)
                continue
            }
            let theirs = try await MailFolder.open(accounts.paths(of: address), log: log)
            do throws(FolderError) {
                try await deliver(source, digest, into: theirs, isRetry: isRetry)
            } catch {
                await theirs.close()
                throw error
            }
            await theirs.close()
        }
        return unknown
    }

    private func deliver(
        _ source: any ByteSource, _ key: Data, into folder: MailFolder, isRetry: Bool
    ) async throws(FolderError) {
        let now = clock.now
        let staged = try await folder.stage(source, receivedAt: now)
        try await folder.change(staged: [staged.id]) { writer throws(FolderError) in
            // The same message sent again intentionally is delivered again.
            guard try writer.noteDelivery(key) || !isRetry else { return }
            try writer.add(staged, to: [StandardMailbox.id(.inbox)], keywords: [], receivedAt: now)
        }
    }

    /// A note about a message is another delivery than the message.
    private static func bounceKey(_ digest: Data) -> Data { digest + Data("bounce".utf8) }
}

/// The bytes of a file that is there for as long as they are needed.
struct FileSource: ByteSource {
    private let path: String
    let size: Int

    init(_ path: String, size: Int) {
        self.path = path
        self.size = size
    }

    func read(at offset: Int, count: Int) throws -> Data {
        guard let file = try OpenFile.reading(path) else {
            throw FolderError.unusable("a message was removed during delivery")
        }
        return try file.read(at: offset, count: min(count, max(0, size - offset)))
    }

    func beginning() async throws(FolderError) -> Data {
        var pieces = self.pieces(of: MailFolder.pieceSize)
        return try await pieces.take() ?? Data()
    }
}
