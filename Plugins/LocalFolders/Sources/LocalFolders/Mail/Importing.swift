import Digest
import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    /// Messages up to this size are read whole, so that existing ones are never written.
    private static let smallSize = 1 << 18
    /// So many bytes of small messages are written in one go.
    private static let groupSize = 1 << 22

    /// Adds the new ones of these messages, in one transaction with one disk flush.
    func take(_ messages: [ImportedMessage]) async throws(FolderError) -> [ImportOutcome] {
        guard !messages.isEmpty else { return [] }
        var batch = ImportBatch(count: messages.count)
        do throws(FolderError) {
            try await stage(messages, into: &batch, isSure: false)
            try await commit(messages, &batch)
            if batch.hasUndecided {
                // They were considered known, but another session has destroyed them.
                try await stage(messages, into: &batch, isSure: true)
                try await commit(messages, &batch)
            }
        } catch {
            discard(batch.staged.values.map(\.id))
            throw error
        }
        return batch.outcomes.map { $0 ?? .refused(.notFound) }
    }

    /// Writes the messages that have no outcome yet; unless `isSure`, not those that are there already.
    private func stage(
        _ messages: [ImportedMessage], into batch: inout ImportBatch, isSure: Bool
    ) async throws(FolderError) {
        var group = SmallMessages(writesKnown: isSure)
        for (index, message) in messages.enumerated() where batch.outcomes[index] == nil {
            do throws(FolderError) {
                try KeywordList.check(message.keywords)
                guard message.bytes.size <= Self.smallSize else {
                    batch.staged[index] = try await stage(
                        message.bytes, receivedAt: message.receivedAt, isDurable: false)
                    continue
                }
                let bytes =
                    message.bytes.size == 0 ? Data() : try await message.bytes.whole(upTo: Self.smallSize)
                group.add(bytes, index, message.receivedAt)
            } catch {
                // A problem with one message does not affect the others.
                guard case .account(let reason) = error else { throw error }
                batch.outcomes[index] = .refused(reason)
            }
            if group.size >= Self.groupSize { try await write(&group, into: &batch) }
        }
        try await write(&group, into: &batch)
    }

    private func write(_ group: inout SmallMessages, into batch: inout ImportBatch) async throws(FolderError)
    {
        let messages = group
        group.removeAll()
        guard !messages.items.isEmpty else { return }
        let written = try await writer.run { [paths] database throws(FolderError) in
            try messages.write(into: paths, database)
        }
        batch.known.merge(written.known) { _, new in new }
        batch.staged.merge(written.staged) { _, new in new }
    }

    private func commit(_ messages: [ImportedMessage], _ batch: inout ImportBatch) async throws(FolderError) {
        let staged = batch.staged
        if staged.count >= 8 {
            try await writer.run { [paths] _ throws(FolderError) in
                try OpenFile.folder(paths.incoming).synchronizeFileSystem()
            }
        } else if !staged.isEmpty {
            try await writer.run { [paths] _ throws(FolderError) in
                for message in staged.values {
                    try OpenFile.reading(paths.incoming(message.id))?.synchronize()
                }
                try OpenFile.synchronizeFolder(paths.incoming)
            }
        }
        batch = try await change(staged: staged.values.map(\.id)) {
            [batch] writer throws(FolderError) -> ImportBatch in
            var batch = batch
            for (index, message) in messages.enumerated() where batch.outcomes[index] == nil {
                batch.outcomes[index] = try batch.outcome(of: message, index, writer)
            }
            return batch
        }
        batch.staged = [:]
    }
}

/// The state of the messages during an import.
private struct ImportBatch: Sendable {
    var outcomes: [ImportOutcome?]
    /// The digests of messages that were there, and so were not written, by their place in the batch.
    var known: [Int: Data] = [:]
    var staged: [Int: StagedMessage] = [:]

    init(count: Int) {
        outcomes = Array(repeating: nil, count: count)
    }

    var hasUndecided: Bool { outcomes.contains { $0 == nil } }

    /// Adds a message, or gives the one that is there the mailboxes and keywords that it lacks. Nil if it has to be
    /// written after all.
    func outcome(
        of message: ImportedMessage, _ index: Int, _ writer: IndexWriter
    ) throws(FolderError) -> ImportOutcome? {
        var isSomewhere = !message.mailboxIDs.isEmpty
        for mailbox in message.mailboxIDs where isSomewhere { isSomewhere = try writer.hasMailbox(mailbox) }
        guard isSomewhere else { return .refused(.notFound) }
        guard let digest = staged[index]?.digest ?? known[index] else { return .refused(.notFound) }
        if let there = try writer.message(withDigest: digest) {
            var mailboxIDs = try writer.mailboxes(of: there.number).union(message.mailboxIDs)
            // Brought in again, it is wanted again.
            let trash = StandardMailbox.id(.trash)
            if !message.mailboxIDs.contains(trash) { mailboxIDs.remove(trash) }
            try writer.setMailboxes(mailboxIDs, of: there.number)
            try writer.changeKeywords(of: there.number, add: message.keywords, remove: [])
            return .alreadyThere(RemoteAddress(feed: MailFolder.feed, id: RemoteMessageID(there.id)))
        }
        guard let staged = staged[index] else { return nil }
        try writer.add(
            staged, to: message.mailboxIDs, keywords: message.keywords, receivedAt: message.receivedAt)
        return .added(RemoteAddress(feed: MailFolder.feed, id: RemoteMessageID(staged.id)))
    }
}

/// Messages that were read as a whole and are not written yet.
private struct SmallMessages: Sendable {
    /// The disk may begin with these at once; smaller ones cost less together.
    private static let largeSize = 1 << 16

    let writesKnown: Bool
    private(set) var items: [(index: Int, bytes: Data, receivedAt: Date)] = []
    private(set) var size = 0

    init(writesKnown: Bool) {
        self.writesKnown = writesKnown
    }

    mutating func add(_ bytes: Data, _ index: Int, _ receivedAt: Date) {
        items.append((index, bytes, receivedAt))
        size += bytes.count
    }

    mutating func removeAll() {
        items = []
        size = 0
    }

    func write(
        into paths: MailPaths, _ database: Database
    ) throws(FolderError) -> (known: [Int: Data], staged: [Int: StagedMessage]) {
        var known: [Int: Data] = [:]
        var staged: [Int: StagedMessage] = [:]
        do throws(FolderError) {
            for (index, bytes, receivedAt) in items {
                guard let digest = SHA256.of(bytes) else { throw .noDigest }
                let isThere =
                    try database.integer(
                        "SELECT count(*) FROM message WHERE digest = ?", .blob(digest)) ?? 0 > 0
                if isThere, !writesKnown {
                    known[index] = digest
                    continue
                }
                try paths.reserve.demand()
                let id = MailPaths.newID()
                staged[index] = StagedMessage(
                    id: id, digest: digest, size: bytes.count, messageID: MessageHeader(bytes).messageID)
                let file = try OpenFile.make(paths.incoming(id))
                try file.append(bytes)
                file.setDate(receivedAt)
                if bytes.count > Self.largeSize { file.beginWriting() }
            }
        } catch {
            for message in staged.values { _ = try? Folders.remove(paths.incoming(message.id)) }
            throw error
        }
        return (known, staged)
    }
}

extension ByteSource {
    /// All bytes of a source that says that it is small.
    fileprivate func whole(upTo limit: Int) async throws(FolderError) -> Data {
        var (bytes, pieces) = (Data(), self.pieces(of: MailFolder.pieceSize))
        while let piece = try await pieces.take() { bytes.append(piece) }
        return bytes
    }
}
