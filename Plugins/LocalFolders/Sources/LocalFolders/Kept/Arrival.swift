import FoundationEssentials
import MailKernelAPI

/// A message while it comes from the server: its bytes are on the disk, and no one sees it yet.
public final class Arrival: Sendable {
    /// What the server calls it.
    public let name: String
    public let statedSize: Int
    let message: IncomingMessage
    private let folder: MailFolder

    init(_ name: String, statedSize: Int, _ message: IncomingMessage, _ folder: MailFolder) {
        self.name = name
        self.statedSize = statedSize
        self.message = message
        self.folder = folder
    }

    /// Adds the next bytes.
    public func write(_ bytes: Data) async throws(AccountError) {
        try await forTheKernel { () throws(FolderError) in
            try await folder.writer.run { [message] _ throws(FolderError) in try message.write(bytes) }
        }
    }

    /// The first field of this name in what has come so far, unfolded; nil if there is none.
    public func field(_ name: String) async throws(AccountError) -> String? {
        try await forTheKernel { () throws(FolderError) in
            try await folder.writer.run { [message] _ throws(FolderError) in message.header.value(of: name) }
        }
    }

    /// It is not to be kept after all.
    public func discard() { folder.discard([message.id]) }
}

/// A message that has come to its end.
public struct ArrivedMessage: Sendable {
    public var arrival: Arrival
    public var receivedAt: Date
    /// Whether the server sent as much as it had stated.
    public var isWhole: Bool

    public init(_ arrival: Arrival, receivedAt: Date, isWhole: Bool) {
        self.arrival = arrival
        self.receivedAt = receivedAt
        self.isWhole = isWhole
    }
}

extension KeptMail {
    /// A message of this name begins to arrive.
    public func begin(_ name: String, statedSize: Int) async throws(AccountError) -> Arrival {
        try await forTheKernel { () throws(FolderError) in
            let folder = try await folder()
            let message = try await folder.writer.run { [paths = folder.paths] _ throws(FolderError) in
                try IncomingMessage(paths)
            }
            return Arrival(name, statedSize: statedSize, message, folder)
        }
    }

    /// Puts messages into the inbox, all in one step with their names. One that is here already, under this name or
    /// another, or that was deleted here, is not added again.
    ///
    /// - Returns: how many are new.
    public func keep(_ arrived: [ArrivedMessage], at now: Date) async throws(AccountError) -> Int {
        guard !arrived.isEmpty else { return 0 }
        return try await forTheKernel { () throws(FolderError) in
            let folder = try await folder()
            let staged = try await folder.finish(arrived)
            return try await folder.change(staged: staged.map(\.id)) { writer throws(FolderError) in
                var count = 0
                for (message, staged) in zip(arrived, staged)
                where try writer.keep(message, staged, at: now) { count += 1 }
                return count
            }
        }
    }
}

extension MailFolder {
    /// From so many on, one flush of the file system costs less.
    private static let manyFiles = 8

    /// Makes the files of messages durable.
    fileprivate func finish(_ arrived: [ArrivedMessage]) async throws(FolderError) -> [StagedMessage] {
        do throws(FolderError) {
            return try await writer.run { [paths] _ throws(FolderError) in
                let isMany = arrived.count >= Self.manyFiles
                var staged: [StagedMessage] = []
                for one in arrived {
                    staged.append(
                        try one.arrival.message.finish(receivedAt: one.receivedAt, isDurable: !isMany))
                }
                if isMany {
                    try OpenFile.folder(paths.incoming).synchronizeFileSystem()
                } else {
                    try OpenFile.synchronizeFolder(paths.incoming)
                }
                return staged
            }
        } catch {
            discard(arrived.map(\.arrival.message.id))
            throw error
        }
    }
}

extension IndexWriter {
    /// - Returns: whether the message is new.
    fileprivate func keep(
        _ message: ArrivedMessage, _ staged: StagedMessage, at now: Date
    ) throws(FolderError) -> Bool {
        let known = try database.first(
            "SELECT message, fetched FROM origin WHERE digest = ? ORDER BY fetched LIMIT 1",
            [.blob(staged.digest)], { (id: $0.text(0), fetched: $0.date(1)) })
        let there = try self.message(withDigest: staged.digest)?.id ?? known?.id
        if there == nil {
            try add(
                staged, to: [StandardMailbox.id(.inbox)], keywords: [], receivedAt: message.receivedAt)
        }
        try database.run(
            "INSERT OR REPLACE INTO origin VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", .text(message.arrival.name),
            .integer(message.arrival.statedSize), .flag(message.isWhole), .blob(staged.digest),
            .text(there ?? staged.id), .optional(staged.messageID), .date(known?.fetched ?? now))
        return there == nil
    }
}
